"""A quote that somebody forgot to close: it ends at the next one, lines below, and YAML breaks."""

from __future__ import annotations

import re

from closedbook.source.fault import Fault

_OPENS = re.compile(r"""^[ ]*(?:- +)*(?:[^\s:#'"{\[][^:#"']*: +|- +)(?=["'])""")
_FIELD = re.compile(r"^\s*(?:- +)*[\w.-]+:(?:\s|$)", re.MULTILINE)
_BLOCK = re.compile(r"^([ ]*)(?:- +)*(?:[^\s#].*: +)?[|>][-+0-9]*\s*(?:#.*)?$")
_CLOSES = {'"': re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL), "'": re.compile(r"(?:[^']|'')*'")}


def runaway_quote(text: str, at: int) -> Fault | None:
    """The quote whose text, running over lines that are fields, led the parser astray at ``at``."""
    start = 0
    block = -1  # the indentation of a field whose text stands below a | or >
    while 0 <= start <= at:
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        following = end + 1 if end >= 0 else -1
        indent = len(line) - len(line.lstrip(" "))
        if block >= 0 and (indent > block or not line.strip()):
            start = following
            continue
        found = _BLOCK.match(line)
        block = len(found[1]) if found else -1
        opening = _OPENS.match(line)
        if opening is not None:
            begin = start + opening.end()
            closing = _CLOSES[text[begin]].match(text, begin + 1)
            if closing is None:
                return None
            if _FIELD.search(closing[0], closing[0].find("\n") + 1 or len(closing[0])):
                return _fault(text, begin, closing.end(), at)
            following = text.find("\n", closing.end()) + 1 or -1
        start = following
    return None


def _fault(text: str, begin: int, end: int, at: int) -> Fault | None:
    """The fault, where the parser stopped on the line on which the quote ends."""
    if not end <= at <= (text.find("\n", end) if "\n" in text[end:] else len(text)):
        return None
    message = "this quote is not closed where its text ends: it takes in the lines below it"
    return Fault(begin, message, (end - 1, "the next quote closes it"))
