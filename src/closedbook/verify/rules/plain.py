"""A text as it is read, character by character, with the place of each in the author's own.

Markdown and LaTeX have many ways to write what a reader sees as one and the same: emphasis within
a number, an entity for a bracket, a fine space, braces that hold nothing together.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple


class Plain(NamedTuple):
    """What is read. Character ``i`` is written at ``starts[i]`` to ``ends[i]`` of the text."""

    text: str
    starts: Sequence[int]
    ends: Sequence[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of what is read, one character at least, stands in the text."""
        return self.starts[start], self.ends[end - 1]


Piece = tuple[str, int, int]
"""A character, and from where to where it is written."""

_UNSEEN = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
"""Characters that have no width."""
_LIKE = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u02d7\u208b\ufe63\uff0d", "-"),
        **dict.fromkeys("\u2715\u2716\u2a2f", "\u00d7"),
        **{chr(0xFF00 + n): chr(0x20 + n) for n in (0x08, 0x09, 0x0B, 0x0C, 0x0E, 0x1B)},
    }
)
"""Signs that look like another: hyphens, crosses, and brackets and signs of full width."""
_SUBSCRIPTS = {chr(0x2080 + n): str(n) for n in range(10)}

_ODD = re.compile(r"[*_\\&\]]|[^\x00-\x7f]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])|(&#?\w+;)")
_FAR = 300
"""How many characters emphasis may reach: without a bound, a text of stars would take minutes."""
_LINK = re.compile(r"(?<!\w)!?(\[)[^\[\]]{0,300}(\]\([^()\s]{0,300}\))")
_EMPHASIS = [
    re.compile(rf"(?<!\*)(\*{{{n}}})(?=[^\s*])(?:.{{0,{_FAR}}}?[^\s*])(\*{{{n}}})(?!\*)", re.DOTALL)
    for n in (3, 2, 1)
] + [
    re.compile(
        rf"(?<![^\W_])(?<!_)(_{{{n}}})(?=[^\s_])(?:.{{0,{_FAR}}}?[^\s_])(_{{{n}}})(?!_)(?![^\W_])",
        re.DOTALL,
    )
    for n in (3, 2, 1)
]


def as_it_stands(text: str, start: int, end: int) -> Plain:
    """A stretch in which every character is itself."""
    return Plain(text[start:end], range(start, end), range(start + 1, end + 1))


def plain_prose(text: str, start: int, end: int) -> Plain:
    """A stretch of prose: no marks of emphasis, no escapes, no entities."""
    if not _ODD.search(text, start, end):
        return as_it_stands(text, start, end)
    gone = {
        at
        for pattern in (*_EMPHASIS, _LINK)
        for match in pattern.finditer(text, start, end)
        for group in (1, 2)
        for at in range(*match.span(group))
    }
    pieces: list[Piece] = []
    at = start
    while at < end:
        match = _ESCAPE.match(text, at, end)
        if at in gone:
            at += 1
        elif match is not None:
            shown = match[1] or html.unescape(match[2])
            pieces += [(character, at, match.end()) for character in shown]
            at = match.end()
        else:
            pieces.append((text[at], at, at + 1))
            at += 1
    return _joined(_alike(pieces))


_ODD_MATHS = re.compile(r"[\\{}~]|-[\s(]|[^\x00-\x7f]")
_DROPPED = re.compile(
    r"\\(?:left|right|(?:big|Big)[gG]?[lr]?|math(?:bf|rm|it|sf|tt)|text(?:bf|rm|it)?|boldsymbol|operatorname|boxed|underline)"
    r"(?![A-Za-z])"
)
_SPACE = re.compile(r"\\(?:(?P<fine>[,!])|[;:> ]|q?quad(?![A-Za-z])|thinspace(?![A-Za-z]))|~")
UNREAD = re.compile(f"{_DROPPED.pattern}|{_SPACE.pattern}")
"""What a formula may hold and nobody reads."""
_COMMAND = re.compile(r"\\(?:[A-Za-z]+\s*|.)", re.DOTALL)


def plain_maths(text: str, start: int, end: int) -> Plain:
    """A formula: no sizes of brackets, no fine spaces, and braces only where they hold a part.

    A part is what ``^``, ``_`` and commands such as that of a fraction take.
    """
    if not _ODD_MATHS.search(text, start, end):
        return as_it_stands(text, start, end)
    pieces: list[Piece] = []
    kept: list[bool] = []
    takes = False
    """Whether a brace that comes now holds a part."""
    at = start
    while at < end:
        character = text[at]
        if match := _DROPPED.match(text, at, end):
            takes = False
            at = match.end()
        elif text.startswith("{,}", at):
            pieces.append((",", at, at + 3))
            at += 3
        elif match := _SPACE.match(text, at, end):
            between = (
                match["fine"]
                and bool(pieces)
                and pieces[-1][0].isdigit()
                and text[match.end() :][:1].isdigit()
            )
            pieces += [] if between else [(" ", at, match.end())]
            at = match.end()
        elif match := _COMMAND.match(text, at, end):
            pieces += [(text[place], place, place + 1) for place in range(*match.span())]
            takes = match[0][1:2].isalpha() and match[0].strip() not in _SIGNS
            at = match.end()
        elif character == "{":
            kept.append(takes)
            pieces += [(character, at, at + 1)] if takes else []
            takes = False
            at += 1
        elif character == "}":
            takes = bool(kept) and kept.pop()
            pieces += [(character, at, at + 1)] if takes else []
            at += 1
        else:
            pieces.append((character, at, at + 1))
            takes = character in "^_" or (takes and character.isspace())
            at += 1
    return _signed(_joined(_alike(pieces)))


_SIGNS = frozenset({"\\times", "\\cdot", "\\div", "\\pm", "\\le", "\\ge", "\\ne", "\\approx"})
"""Commands that take no part: what stands in braces after them is read on its own."""


def plain_code(text: str, start: int, end: int) -> Plain:
    """A stretch of code, as it stands; a sign is one with its number."""
    return _signed(as_it_stands(text, start, end))


_FAR_SIGN = re.compile(
    r"(?:(?:^|[=(\[{,<>:;|\u2264\u2265\u2248]|\\(?:le|ge|ne|to|approx|in))\s*[-\u2212])(\s+)(?=[\d.\\])"
)
_WRAPPED = re.compile(r"(?<![\w)\]])[-\u2212]\s*(\()\s*\d[\d.]*\s*(\))")


def _signed(plain: Plain) -> Plain:
    """``- 60`` and ``-(60)`` as ``-60``, where nothing stands before that 60 is taken from."""
    if "-" not in plain.text and "\u2212" not in plain.text:
        return plain
    gone = {at for match in _FAR_SIGN.finditer(plain.text) for at in range(*match.span(1))}
    for match in _WRAPPED.finditer(plain.text):
        gone.update((match.start(1), match.start(2)))
    if not gone:
        return plain
    pieces = zip(plain.text, plain.starts, plain.ends, strict=True)
    return _joined(piece for at, piece in enumerate(pieces) if at not in gone)


def _alike(pieces: list[Piece]) -> Iterator[Piece]:
    """Without characters that nobody sees, and with one of those that look alike."""
    before = ""
    for number, (character, start, end) in enumerate(pieces):
        if character in _UNSEEN:
            continue
        shown = character.translate(_LIKE)
        if not before.isalnum():
            after = pieces[number + 1][0] if number + 1 < len(pieces) else ""
            shown = _SUBSCRIPTS.get(shown, shown)
            if shown in "\u2012\u2013" and before not in tuple(")]%") and after[:1].isdigit():
                shown = "-"  # a dash before a number is its sign, and between two it is "to"
        yield shown, start, end
        before = shown


def _joined(pieces: Iterable[Piece]) -> Plain:
    characters, starts, ends = (
        zip(*pieces, strict=True) if (pieces := list(pieces)) else ("", (), ())
    )
    return Plain("".join(characters), starts, ends)
