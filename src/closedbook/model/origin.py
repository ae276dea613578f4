"""How a thing that was read finds its way back to the text that it was read from."""

from __future__ import annotations

from typing import Protocol

from closedbook.problem import Note, Place, Problem, Severity

Loc = tuple[str | int, ...]
"""A way through nested YAML: field names and list indices, ``("steps", 0, "expect")``."""


class Origin(Protocol):
    """The place of one entry of a file; implemented by :mod:`closedbook.source`.

    Places are looked up when somebody asks, by parsing the kept text once more: a bank without
    mistakes never pays for them.
    """

    @property
    def path(self) -> str:
        """The file, relative to the bank's folder."""
        ...

    def place(self, loc: Loc = (), *, offset: int | None = None, key: bool = False) -> Place:
        """The place of the value at ``loc`` (of its key where ``key``).

        ``offset`` counts characters into a text value. A ``loc`` that does not exist gives the
        place of its nearest existing parent.
        """
        ...

    def problem(
        self,
        loc: Loc,
        message: str,
        *,
        offset: int | None = None,
        key: bool = False,
        severity: Severity = "error",
        notes: tuple[Note, ...] = (),
        card: str | None = None,
    ) -> Problem:
        """A :class:`Problem` at that place, with its line as excerpt."""
        ...
