"""A mistake that an author can mend: where it stands, what is wrong, what was probably meant.

Every stage of closedbook returns ``(value, problems)``. Problems are values; only the edge
(:mod:`closedbook.commands`) prints them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

Severity = Literal["error", "warning"]

_HIDDEN = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
_EXCERPT_WIDTH = 76  # with the indent, a terminal of 80 columns


def visible(text: str) -> str:
    """The text with every character that would steer a terminal as its escape; lines stay lines."""
    return _HIDDEN.sub(lambda match: match[0].encode("unicode_escape").decode(), text)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A position in a file. Lines and columns count from 1; 0 means the whole file or line.

    ``path`` is relative to the bank's folder, with ``/`` between its parts.
    """

    path: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        path = visible(self.path).replace("\n", "\\n")
        if not self.line:
            return path
        if not self.column:
            return f"{path}:{self.line}"
        return f"{path}:{self.line}:{self.column}"


@dataclass(frozen=True, slots=True)
class Note:
    """A line below a problem: ``expected (3, 4)``, or where a generator stands."""

    text: str
    place: Place | None = None

    def __str__(self) -> str:
        return f"{self.text} ({self.place})" if self.place else self.text


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake. ``excerpt`` is the source line at ``place``, shown with a caret below it."""

    place: Place
    message: str
    severity: Severity = "error"
    excerpt: str | None = None
    notes: tuple[Note, ...] = ()
    card: str | None = None

    def __str__(self) -> str:
        """The message as it is printed: place and text, the line and a caret, the notes."""
        label = "" if self.severity == "error" else "warning: "
        lines = [f"{self.place}: {label}{visible(self.message)}"]
        if self.excerpt is not None:
            lines += _caret(self.excerpt, self.place.column)
        notes = (visible(str(note)) for note in self.notes)
        lines += [f"    {line}" for note in notes for line in note.split("\n")]
        return "\n".join(lines)


def _caret(excerpt: str, column: int) -> list[str]:
    """The source line and a caret under ``column``; a long line is cut around it, with a mark."""
    start = max(0, column - 1 - _EXCERPT_WIDTH * 2 // 3) if column >= _EXCERPT_WIDTH else 0
    end = start + _EXCERPT_WIDTH
    printed = [ch if ch.isprintable() else " " for ch in excerpt.rstrip()]
    if 0 < start < len(printed):
        printed[start] = "…"
    if len(printed) > end:
        printed[end - 1] = "…"
    lines = [f"    {''.join(printed[start:end]).rstrip()}"]
    if column:
        lines.append("    " + " " * (column - 1 - start) + "^")
    return lines


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """`` (did you mean 'answer'?)`` where one of ``known`` is near ``word``, else an empty text."""
    import difflib  # only a mistake needs it, and a verify without one is to start quickly

    candidates = sorted(known)
    folded = {candidate.casefold(): candidate for candidate in reversed(candidates)}
    near = difflib.get_close_matches(word.casefold(), list(folded), n=3, cutoff=0.6)
    # Letters that changed places are the likeliest slip: "aks" is "ask" before it is "was".
    near.sort(key=lambda known: sorted(known) != sorted(word.casefold()))
    return f" (did you mean {folded[near[0]]!r}?)" if near else ""


def count(number: int, word: str) -> str:
    """``1 error``, ``2,000 errors``."""
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def has_errors(problems: Sequence[Problem]) -> bool:
    """Whether any of ``problems`` is more than a warning."""
    return any(problem.severity == "error" for problem in problems)
