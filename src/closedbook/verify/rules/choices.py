"""Options: no two alike, no wrong one right, compared as a reader sees them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from closedbook.model.bank import DrawnCard
from closedbook.model.expect import Equals
from closedbook.model.kinds import Question
from closedbook.model.kinds.question import Option
from closedbook.model.origin import Loc
from closedbook.verify.rules.finding import Finding
from closedbook.verify.rules.grammar import Key
from closedbook.verify.rules.plain import UNREAD
from closedbook.verify.rules.values import Atom, Segment, atoms, plain_of, segments

_REMEMBERED = 1024
"""How many options are kept with what they say: the draws of a card share most of theirs."""


@dataclass(frozen=True, slots=True)
class _Choice:
    loc: Loc
    option: Option
    plain: str
    value: tuple[Key, ...] | None

    @property
    def right(self) -> bool:
        return self.option.right is not None

    def __str__(self) -> str:
        return f'the {"right" if self.right else "wrong"} option "{self.plain}"'


def check_options(drawn: DrawnCard) -> Iterator[Finding]:
    """Every two options that a reader cannot tell apart, and every wrong one that is right."""
    content = drawn.content
    if not isinstance(content, Question) or not content.options:
        return
    choices = [_choice(index, option) for index, option in enumerate(content.options)]
    for index, choice in enumerate(choices):
        twin = next((other for other in choices[:index] if _alike(choice, other)), None)
        if twin is not None:
            yield Finding("options", choice.loc, _in_words(choice, twin))
    yield from _stated_elsewhere(drawn, choices)


def _choice(index: int, option: Option) -> _Choice:
    plain = as_read(option.text)
    side = "right" if option.right is not None else "wrong"
    return _Choice(("options", index, side), option, plain, value_of(option.text))


def _alike(one: _Choice, other: _Choice) -> bool:
    if one.value is not None and other.value is not None:
        # `[2, 3]` is a list, and `(2, 3)` is none: a card may ask which.
        return one.value == other.value and {one.plain[:1], other.plain[:1]} != {"[", "("}
    return one.plain.rstrip(" .") == other.plain.rstrip(" .")


def _in_words(choice: _Choice, twin: _Choice) -> str:
    if choice.right != twin.right:
        wrong = twin if choice.right else choice
        return f"{wrong} is right"
    return f'two {"right" if choice.right else "wrong"} options say "{choice.plain}"'


def _stated_elsewhere(drawn: DrawnCard, choices: list[_Choice]) -> Iterator[Finding]:
    """The right option says something else, and a wrong one states the only expected value."""
    for claim in drawn.claims:
        if claim.role not in ("option", "card", "answer") or claim.check is None:
            continue
        expected = [e for e in claim.check.expect.values() if isinstance(e, Equals)]
        if len(expected) != 1 or len(claim.check.expect) != 1:
            continue
        value = value_of(f"`{expected[0].text}`")
        if any(choice.right and choice.value == value for choice in choices):
            continue  # it is told as a twin of the right one
        for choice in choices:
            if not choice.right and value is not None and choice.value == value:
                fact = next(iter(claim.check.expect))
                yield Finding("options", choice.loc, f"{choice} is right: it is {fact}")


@lru_cache(maxsize=_REMEMBERED)
def value_of(text: str) -> tuple[Key, ...] | None:
    """The one value that a text consists of, or None where it says anything else."""
    atom = atom_of(text)
    return None if atom is None else atom.any_of[0]


@lru_cache(maxsize=_REMEMBERED)
def atom_of(text: str) -> Atom | None:
    """The one stated value that a text consists of, whatever it is dressed in."""
    if _WORDY.search(_IT_IS.sub("", text)):
        return None  # most sentences: this is far quicker than reading them
    bare = _DRESSED.sub(lambda match: match[1] or match[2] or "", _BLOCK.sub("", text))
    found = atoms(bare)
    if len(found) != 1:
        return None
    (atom,) = found
    before, after = bare[: atom.offset], bare[atom.offset + len(atom.text) :]
    before = re.sub("[+\uff0b]", "", _IT_IS.sub("", before), count=1)
    rest = UNREAD.sub("", before + after)
    alone = not re.search(r"[^\s`*_${}.]", rest)
    return atom if alone else None


_IT_IS = re.compile(r"^\s*(?:It|That|This|The answer) is\s")
_WORDY = re.compile(r"[a-z]{2}\s+[a-z]{2}")
_DRESSED = re.compile(
    r"\\(?:text|math[a-z]+|boldsymbol)\{([^{}]*)\}"
    r"|\b(?:torch\.)?(?:Size|tensor)\((\[[^()]*\]|[^()\[\],]*|\([^()]*\))\)"
)
_BLOCK = re.compile(r"^ {0,3}(?:[-+*>]|#{1,6}) +", re.MULTILINE)
"""What makes a line an item, a quotation or a heading."""
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()]{0,300}\)")


@lru_cache(maxsize=_REMEMBERED)
def as_read(text: str) -> str:
    """A text as a reader sees it: without marks of emphasis, code and maths, spaces as one."""
    plain = "".join(_segment_as_read(text, segment) for segment in segments(text))
    return " ".join(unicodedata.normalize("NFC", plain).split())


def _segment_as_read(text: str, segment: Segment) -> str:
    """Of a link its text; of a list's item, what follows its mark."""
    stretch = text[segment.start : segment.end]
    if segment.kind == "prose":
        stretch = _LINK.sub(r"\1", _BLOCK.sub("", stretch))
    return plain_of(stretch, Segment(segment.kind, 0, len(stretch))).text
