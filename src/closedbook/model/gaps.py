"""Cloze gaps as they are written, ``{{c1::text::hint}}``: Anki makes a card of each number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

GAP = re.compile(r"\{\{c(\d+)::")
"""The opening of a gap, and its number."""

ANY_GAP = re.compile(r"\{\{c(\d+(?:,\d+)*)::")
"""The same, and an opening of several numbers, ``{{c1,2::``, which is a mistake here."""

HIGHEST = 500
"""Anki makes no card for a higher number."""

GAPS_AT = ("text",)
"""The one text of a card that may hold gaps: a cloze's."""

NO_GAP = "a cloze text needs a gap: write {{c1::…}} around what is asked for"

BRACES = re.compile(r"\{\{([^{}]*)\}\}")
"""Two braces and what they are around."""

_NEAR = re.compile(
    r"\{\{\s*[cC]\s*(\d*)\s*:{1,2}"  # {{c2:…, {{C2::…, {{ c2::…, {{c::…
    r"|\{\{\s*(\d+)\s*::"  # {{2::…
    r"|(?<!\{)\{c(\d+)::"  # {c2::…
)
_LONGEST = 24  # of what a message repeats


def find_end(text: str, start: int, *, escapes: bool) -> int:
    r"""The index of the ``}}`` that closes a gap whose content begins at ``start``; -1 if none.

    With ``escapes`` a backslash takes the next character along (``\}`` in LaTeX).
    """
    depth, at = 0, start
    while at < len(text):
        if escapes and text[at] == "\\":
            at += 2
            continue
        if depth == 0 and text.startswith("}}", at):
            return at
        depth += {"{": 1, "}": -1}.get(text[at], 0)
        if depth < 0:
            break
        at += 1
    return text.find("}}", start)


class Gap(NamedTuple):
    """Where a gap stands in a text, with its braces and without: ``{{c1::text::hint}}``."""

    start: int
    end: int
    inner: slice


def gaps_in(text: str) -> Iterator[Gap]:
    """The gaps of a text, in order; those that are not closed are told elsewhere."""
    at = 0
    for match in GAP.finditer(text):
        if match.start() < at:
            continue
        end = find_end(text, match.end(), escapes=False)
        if end >= 0:
            hint = text.find("::", match.end(), end)
            yield Gap(match.start(), end + 2, slice(match.end(), hint if hint >= 0 else end))
            at = end + 2


def near_gaps(text: str) -> Iterator[tuple[int, str]]:
    """Where a text holds what is nearly a gap, and what to say of it."""
    for match in _NEAR.finditer(text):
        if not ANY_GAP.match(text, match.start()):
            number = match[1] or match[2] or match[3] or str(next_number(text))
            yield match.start(), almost(number, text[match.end() :])


def next_number(text: str) -> int:
    """The number that a text's next gap would have; what is nearly a gap has had one too."""
    found = [match[1] or match[2] or match[3] for match in _NEAR.finditer(text)]
    return 1 + max((int(number[:9]) for number in found if number), default=0)


def almost(number: int | str, inner: str) -> str:
    """What to say of a gap that is none; ``inner`` begins with what it is around."""
    inner = re.split(r"[}\n]", inner.lstrip(": "), maxsplit=1)[0].strip()
    shown = inner if 0 < len(inner) <= _LONGEST else "…"
    return f"this is not read as a gap: write {{{{c{str(number).lstrip('0') or 1}::{shown}}}}}"
