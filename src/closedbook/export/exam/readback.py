"""Reading finished PDFs back: what they print, told apart by ink.

The template sets what is asked in one ink, answers in a second and page furniture in a third
(syntax colours count as asked). So a paper and its key can be compared by what stands on their
pages: the key's questions have to be the paper's, to the last character, and the answers that
the key prints have to be those of the paper's own options and blanks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from closedbook.export.exam.printed import Printed, read, squeeze
from closedbook.export.exam.words import WORDS
from closedbook.render.typst.nodes import CODE_BLANK

__all__ = ["Printed", "Promise", "disagreements", "read", "squeeze", "with_insertions"]


@dataclass(frozen=True, slots=True)
class Promise:
    """What a paper and its key have to show for one question."""

    number: int
    card: str
    heading: str
    """``Question 3``, as printed."""
    letters: tuple[str, ...]
    """The right options' letters."""
    options: tuple[str, ...]
    """All letters, as printed."""
    cloze: bool = False
    hints: tuple[str, ...] = ()
    """The hints of a cloze's gaps, which the paper prints and the filled key does not."""
    figures: int = 0
    """How many figures the answers hold: their lettering has no ink of the key's."""


def disagreements(
    paper: Printed, key: Printed, label: str, promises: Sequence[Promise]
) -> list[tuple[str | None, str]]:
    """Where paper and key do not fit each other: the card, where one can be named, and what."""
    found: list[tuple[str | None, str]] = []
    sections = _sections(paper.asked, promises)
    in_key = _sections(key.asked, promises)
    for promise in promises:
        name = f"question {promise.number} of variant {label}"
        asked, again = sections.get(promise.number), in_key.get(promise.number)
        if asked is None or again is None:
            where = "paper" if asked is None else "key"
            found.append((promise.card, f"the {where} does not print {name}"))
        elif not _same(asked, again, promise):
            found.append(
                (
                    promise.card,
                    f"paper and key print {name} differently: {_difference(asked, again)}",
                )
            )
    before, in_key_before = (_before(printed.asked, promises) for printed in (paper, key))
    if before != in_key_before:
        told = _difference(before, in_key_before)
        found.append((None, f"the first pages of paper and key of variant {label} differ: {told}"))
    found += _letters(key, label, promises)
    found += [*_lost(paper, "paper", label, promises), *_lost(key, "key", label, promises)]
    for printed, what in ((paper, "paper"), (key, "key")):
        found += [
            (
                None,
                f"page {page} of the {what} of variant {label} lacks its variant or number",
            )
            for page in range(1, printed.pages + 1)
            if not _numbered(printed, page, label)
        ]
    return found


def _sections(asked: str, promises: Sequence[Promise]) -> dict[int, str]:
    """The text from each question's heading to the next one's."""
    starts: list[tuple[int, int]] = []
    at = 0
    for promise in promises:
        start = asked.find(squeeze(promise.heading), at)
        if start < 0:
            continue
        starts.append((promise.number, start))
        at = start + len(squeeze(promise.heading))
    ends = [start for _, start in starts[1:]] + [len(asked)]
    return {number: asked[start:end] for (number, start), end in zip(starts, ends, strict=True)}


def _lost(
    printed: Printed, what: str, label: str, promises: Sequence[Promise]
) -> Iterator[tuple[str | None, str]]:
    """Texts that run off their page, with the card whose question they stand in."""
    starts: list[tuple[int, str]] = []
    at = 0
    for promise in promises if printed.lost else ():
        at = max(at, printed.asked.find(squeeze(promise.heading), at))
        starts.append((at, promise.card))
    lost: dict[str | None, str] = {}  # a formula is many runs, and one fault
    for offset, text in printed.lost:
        card = next((card for start, card in reversed(starts) if start < offset), None)
        lost[card] = lost.get(card, "") + text
    for card, text in lost.items():
        yield card, f"'{text.strip()[:40]}' runs off its page (variant {label}, {what})"


def _before(asked: str, promises: Sequence[Promise]) -> str:
    """What stands before the first question."""
    return asked.partition(squeeze(promises[0].heading))[0] if promises else asked


def _same(asked: str, again: str, promise: Promise) -> bool:
    """Whether the key asks what the paper asks.

    A cloze's blanks and their hints are the paper's alone; for each figure of an answer, a text
    may come in.
    """
    if promise.cloze:
        for hint in promise.hints:
            asked = asked.replace(squeeze(f"({hint})"), "", 1)
        return asked.replace(CODE_BLANK, "") == again.replace(CODE_BLANK, "")
    return asked == again or with_insertions(asked, again, promise.figures)


def with_insertions(text: str, longer: str, most: int) -> bool:
    """Whether ``longer`` is ``text`` with at most ``most`` pieces put in.

    Whatever the pieces are, the longest common beginning can be kept before the first of them and
    the longest common end behind the last.
    """
    if most <= 0:
        return text == longer
    begin = _common(text, longer)
    text, longer = text[begin:], longer[begin:]
    end = _common(text[::-1], longer[::-1])
    text, longer = text[: len(text) - end], longer[: len(longer) - end]
    for _ in range(most - 1):
        if not text:
            return True
        kept = next(size for size in range(len(text), -1, -1) if text[:size] in longer)
        longer = longer[longer.find(text[:kept]) + kept :]
        text = text[kept:]
    return not text


def _common(one: str, other: str) -> int:
    """How long the common beginning of two texts is."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _letters(
    key: Printed, label: str, promises: Sequence[Promise]
) -> Iterator[tuple[str | None, str]]:
    """The letters that the key prints, against the options that are right."""
    at = 0
    for promise in promises:
        if not promise.options:
            continue
        told = squeeze(f"{promise.heading}: {', '.join(promise.letters)}.")
        start = key.answers.find(told, at)
        if start < 0:
            yield (
                promise.card,
                f"the key of variant {label} does not answer question {promise.number} "
                f"with {', '.join(promise.letters)}",
            )
        else:
            at = start + len(told)


def _numbered(printed: Printed, page: int, label: str) -> bool:
    text = printed.furniture[page - 1]
    wanted = (
        f"{WORDS['variant']} {label}",
        f"{WORDS['page']} {page} {WORDS['of']} {printed.pages}",
    )
    return all(squeeze(told) in text for told in wanted)


def _difference(one: str, other: str) -> str:
    """The first place where two texts part, with some characters around it."""
    at = _common(one, other)
    return f"'{one[max(0, at - 12) : at + 20]}' and '{other[max(0, at - 12) : at + 20]}'"
