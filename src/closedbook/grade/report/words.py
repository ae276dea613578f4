"""What every form of report says in the same words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import Literal

from closedbook.grade.printable import clean
from closedbook.grade.verdict import Grade, PointMark, Reason, number

Feedback = Literal["brief", "full"]

PLAIN = (
    "With these in the file no point is given: the attempt could reach the process that "
    'observes it. Take them out, or put them below `if __name__ == "__main__":`, which '
    "does not run here."
)
SAME = "for the same reason"

_DRAWN = re.compile(r"\([^()]*\d[^()]*\)|[^\s,]*\d[^\s,]*")
"""A shape, or a word with a digit in it."""


def worth(earned: Fraction, points: Fraction) -> str:
    """``2.5 of 3 points``."""
    return f"{number(earned)} of {number(points)} {'point' if points <= 1 else 'points'}"


def title(mark: PointMark, several: bool) -> str:
    """The probe's name, with the class's where the task has several."""
    return f"{mark.function} {mark.probe}" if several else mark.probe


def several(grade: Grade) -> bool:
    """Whether the task asks for more than one class."""
    return len({mark.function for mark in grade.marks}) > 1


def rows(mark: PointMark, grade: Grade, feedback: Feedback) -> Iterator[tuple[str, str]]:
    """``(label, text)`` of what led to a mark; ``brief`` keeps the probe's inputs and values."""
    reason = mark.reason
    if reason is None:
        return
    yield "expected", _plain(reason.expected, reason, feedback)
    yield "seen", _plain(reason.seen, reason, feedback)
    if reason.case and feedback == "full":
        yield "with", reason.case
    if reason.line:
        yield f"line {reason.line}", source_line(grade, reason.line)
    if reason.trap:
        yield "explained by", reason.trap


def _plain(text: str, reason: Reason, feedback: Feedback) -> str:
    """In brief, what was drawn stays hidden: no numbers of a probe's own."""
    if feedback == "full" or not reason.case:
        return text
    head = text.splitlines()[0].partition(":")[0].partition(" at [")[0]
    words = _DRAWN.sub("…", head)
    return words if any(ch.isalpha() for ch in words) else "another value"


def source_line(grade: Grade, line: int) -> str:
    """The attempt's line, as it stands there, cut to a screen's width."""
    lines = grade.source.split("\n")
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return "".join(ch if ch.isprintable() else " " for ch in text).strip()[:100]


def reasons(grade: Grade, feedback: Feedback) -> Iterator[tuple[PointMark, list[tuple[str, str]]]]:
    """Each mark with its rows; a reason that was given before is not given again."""
    given: set[tuple[str, str, int]] = set()
    for mark in grade.marks:
        reason = mark.reason
        if reason is None:
            yield mark, []
            continue
        short = not reason.line and not reason.no_answer
        key = (reason.expected if short else "", reason.seen, reason.line)
        if key in given:
            yield mark, [("", SAME)]
        else:
            given.add(key)
            yield mark, list(rows(mark, grade, feedback))


def lost(grade: Grade) -> str:
    """What was lost, in one line; where that is everything, the first reason."""
    names = [title(mark, several(grade)) for mark in grade.marks if not mark.full]
    if len(names) < len(grade.marks):
        return ", ".join(names)
    if grade.outside:
        return f"everything: line {grade.outside[0].line} uses {grade.outside[0].text}"
    reason = grade.marks[0].reason if grade.marks else None
    if reason is None:
        return "everything" if grade.marks else ""
    at = f"line {reason.line}: " if reason.line else ""
    return f"everything: {at}{clean(reason.seen, 120)}"


def guards(grade: Grade) -> str:
    """One line on the walls around the attempt."""
    held = [name for name, state in grade.guards.items() if state == "held"]
    loose = [f"{name} ({state})" for name, state in grade.guards.items() if state != "held"]
    words = f"Walls that held: {', '.join(held) or 'none'}."
    return f"{words} Not held: {'; '.join(loose)}." if loose else words
