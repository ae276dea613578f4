"""Which lines of a trap's code are at fault, by the numbers that the paper prints beside them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from closedbook.model.bank import Card, Listing
from closedbook.model.kinds import Trap
from closedbook.paper.trees import sentence
from closedbook.problem import Problem, did_you_mean
from closedbook.render.tree import Break, Code, Document, Inline

_MOST = 4
"""Where more lines differ from the mended code, the two are written in different ways."""

_DEFINED = re.compile(r"(?:class|def)\s+(\w+)")
_NEWLINE = re.compile(r"\r\n|[\n\v\f\r\x85\u2028\u2029]")
"""Where Typst begins a new line, and counts it."""
_QUOTED = re.compile(r"(\d+):\s*(.+)")
"""A line that the author quotes with its number, for the code has it several times."""


@dataclass(frozen=True, slots=True)
class Fault:
    """The numbers of the lines at fault, from 1, with their texts.

    ``missing``: how many lines are missing after the last of them, which are right then.
    """

    lines: tuple[tuple[int, str], ...]
    missing: int = 0


def fault_of(code: Listing, stated: Iterable[str], mended: Listing | None) -> Fault | None:
    """The fault that the card states, or that the mended code shows; None where neither does.

    The mended code shows it where the two differ in one place alone, beside their names.
    """
    wanted = list(stated)
    if wanted:
        lines = _numbered(code.text)
        found = {pair for line in wanted for pair in _quoted(lines, line)}
        return Fault(tuple(sorted(found))) if found else None
    return _difference(code.text, mended.text) if mended else None


def fault_sentence(fault: Fault) -> Document:
    """A line of text for each line at fault, with its number as the paper prints it."""
    if fault.missing:
        number, text = fault.lines[-1]
        what = "A line is" if fault.missing == 1 else f"{fault.missing} lines are"
        return sentence(f"{what} missing after line {number}, ", Code(text))
    pieces: list[Inline | str] = []
    for number, text in fault.lines:
        pieces += [*([Break()] if pieces else []), f"Line {number}: ", Code(text)]
    return sentence(*pieces)


def unknown_lines(card: Card, code: Listing) -> Iterator[Problem]:
    """What a card states as faulty lines that are none of its code, or several of it."""
    if not isinstance(card.content, Trap):
        return
    lines = _numbered(code.text)
    for at, stated in enumerate(card.content.fault):
        found = _quoted(lines, stated)
        line = stated.strip()
        if not found:
            guess = did_you_mean(line, [text for _, text in lines])
            told = f"the code of '{card.id}' has no line '{line}'{guess}"
        elif len(found) > 1:
            numbers = " and ".join(str(number) for number, _ in found)
            told = f"the code of '{card.id}' has the line '{line}' more than once, as {numbers}: "
            told += f"quote the one at fault with its number, '{found[-1][0]}: {line}'"
        else:
            continue
        yield card.origin.problem(("fault", at), told, card=card.id)


def _quoted(lines: Iterable[tuple[int, str]], stated: str) -> list[tuple[int, str]]:
    """The lines that the author quotes: one, unless there is none, or several read the same."""
    wanted = stated.strip()
    found = [pair for pair in lines if pair[1] == wanted]
    if found or not (quoted := _QUOTED.fullmatch(wanted)):
        return found
    return [pair for pair in lines if pair == (int(quoted[1]), quoted[2])]


def _numbered(text: str) -> list[tuple[int, str]]:
    """The lines that say something, stripped, with their numbers."""
    found = ((number, line.strip()) for number, line in enumerate(_NEWLINE.split(text), 1))
    return [pair for pair in found if pair[1]]


def _difference(wrong: str, right: str) -> Fault | None:
    names = _DEFINED.match(wrong), _DEFINED.match(right)
    if not (names[0] and names[1]):  # a piece of code has nothing to be laid beside
        return None
    mended = re.sub(rf"\b{names[1][1]}\b", names[0][1], right)
    lines = _numbered(wrong)
    own, other = [text for _, text in lines], [text for _, text in _numbered(mended)]
    found = SequenceMatcher(None, own, other, autojunk=False).get_opcodes()
    changes = [change for change in found if change[0] != "equal"]
    if len(changes) != 1:
        return None
    _, begin, end, first, last = changes[0]
    if begin == end or first == last:
        # The same may come in or go further up: a method with the decorator that is above it.
        more, at_end = (other, last) if begin == end else (own, end)
        while begin and own[begin - 1] == more[at_end - 1]:
            begin, end, first, last, at_end = begin - 1, end - 1, first - 1, last - 1, at_end - 1
    if begin == end:
        return Fault((lines[begin - 1],), missing=last - first) if begin else None
    return Fault(tuple(lines[begin:end])) if end - begin <= _MOST else None
