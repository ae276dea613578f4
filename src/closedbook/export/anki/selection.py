"""``--only``: a deck of some of the cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from closedbook.model.bank import Bank, Card
from closedbook.problem import did_you_mean

KEYS = ("outcome", "tag", "unit")


@dataclass(frozen=True, slots=True)
class Selection:
    """The cards of which some outcome, tag or unit is among the chosen ones.

    A tag takes in those below it: ``autograd`` takes ``autograd::saved``.
    """

    outcomes: frozenset[str]
    tags: frozenset[str]
    units: frozenset[str]

    def takes(self, card: Card) -> bool:
        """Whether the deck is to have ``card``."""
        return (
            card.unit.id in self.units
            or not self.outcomes.isdisjoint(card.content.outcome)
            or not self.tags.isdisjoint(_with_parents(card.content.tags))
        )


def selection_of(words: Sequence[str], bank: Bank) -> tuple[Selection | None, str]:
    """What ``outcome:ID``, ``tag:TAG`` and ``unit:ID`` choose; None and why where one is wrong."""
    known = {
        "outcome": {name for unit in bank.units for name in unit.info.outcomes},
        "tag": {tag for card in bank.cards for tag in _with_parents(card.content.tags)},
        "unit": {unit.id for unit in bank.units},
    }
    chosen: dict[str, set[str]] = {key: set() for key in KEYS}
    for word in words:
        key, colon, value = word.partition(":")
        if not colon or key not in known:
            return (
                None,
                f"{word!r} is none of outcome:ID, tag:TAG, unit:ID{did_you_mean(key, KEYS)}",
            )
        if value not in known[key]:
            return None, f"the bank has no {key} {value!r}{did_you_mean(value, known[key])}"
        chosen[key].add(value)
    sets = (frozenset(chosen[key]) for key in KEYS)
    return Selection(*sets), ""


def _with_parents(tags: Iterable[str]) -> set[str]:
    found: set[str] = set()
    for tag in tags:
        levels = tag.split("::")
        found.update("::".join(levels[: n + 1]) for n in range(len(levels)))
    return found
