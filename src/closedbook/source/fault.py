"""A mistake in a file's YAML, before anything is known of cards."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """A mistake in the YAML itself, at a character of the text.

    ``other`` is a second place (the first of two equal keys), with the words for it.
    """

    offset: int
    message: str
    other: tuple[int, str] | None = None

    def moved(self, by: int) -> Fault:
        """The same fault in a text that this one's text is a piece of."""
        other = None if self.other is None else (self.other[0] + by, self.other[1])
        return Fault(self.offset + by, self.message, other)


def taken_for(start: str, what: str) -> str:
    """The message for a text whose first characters mean something to YAML."""
    return (
        f"YAML takes a text that begins with {start} for {what}: "
        "put it in quotes, or write it under |"
    )
