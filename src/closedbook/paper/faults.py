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


@dataclass(frozen=True, slots=True)
class Fault:
    """The numbers of the lines at fault, from 1, with their texts.

    ``missing``: the lines are right, and something is missing after the last of them.
    """

    lines: tuple[tuple[int, str], ...]
    missing: bool = False


def fault_of(code: Listing, stated: Iterable[str], mended: Listing | None) -> Fault | None:
    """The fault that the card states, or that the mended code shows; None where neither does.

    The mended code shows it where the two differ in one place alone, beside their names.
    """
    wanted = [line.strip() for line in stated]
    if wanted:
        found = tuple(pair for pair in _numbered(code.text) if pair[1] in wanted)
        return Fault(found) if found else None
    return _difference(code.text, mended.text) if mended else None


def fault_sentence(fault: Fault) -> Document:
    """A line of text for each line at fault, with its number as the paper prints it."""
    if fault.missing:
        number, text = fault.lines[-1]
        return sentence(f"A line is missing after line {number}, ", Code(text))
    pieces: list[Inline | str] = []
    for number, text in fault.lines:
        pieces += [*([Break()] if pieces else []), f"Line {number}: ", Code(text)]
    return sentence(*pieces)


def unknown_lines(card: Card, code: Listing) -> Iterator[Problem]:
    """What a card states as faulty lines that are none of its code."""
    if not isinstance(card.content, Trap):
        return
    lines = [text for _, text in _numbered(code.text)]
    for at, stated in enumerate(card.content.fault):
        if stated.strip() not in lines:
            yield card.origin.problem(
                ("fault", at),
                f"the code of '{card.id}' has no line '{stated.strip()}'"
                f"{did_you_mean(stated.strip(), lines)}",
                card=card.id,
            )


def _numbered(text: str) -> list[tuple[int, str]]:
    """The lines that say something, stripped, with their numbers."""
    found = ((number, line.strip()) for number, line in enumerate(text.split("\n"), 1))
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
    _, begin, end, *_ = changes[0]
    if begin == end:
        return Fault((lines[begin - 1],), missing=True) if begin else None
    return Fault(tuple(lines[begin:end])) if end - begin <= _MOST else None
