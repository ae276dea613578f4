"""How many new cards a day reach every card before the exam."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass

from closedbook.model.bank import Bank, Unit
from closedbook.problem import count

_ANKI_DEFAULT = 20


@dataclass(frozen=True, slots=True)
class Pace:
    """A unit's cards, its exam, and the new cards a day that Anki is set to."""

    unit: str
    cards: int
    exam: datetime.date
    today: datetime.date
    limit: int

    @property
    def days(self) -> int:
        """The days on which cards can be learned: from today to the day before the exam."""
        return (self.exam - self.today).days

    @property
    def a_day(self) -> int:
        """The new cards a day that reach every card, at least."""
        return -(-self.cards // self.days) if self.days > 0 else self.cards

    def __str__(self) -> str:
        """One sentence for the terminal."""
        if self.days <= 0:
            when = "is today" if self.days == 0 else "is over"
            return f"{self.unit}: the exam of {self.exam} {when}"
        every = "the one card" if self.cards == 1 else f"all {self.cards} cards"
        words = (
            f"{self.unit}: {count(self.a_day, 'new card')} a day "
            f"{'reach' if self.a_day != 1 else 'reaches'} {every} before the exam "
            f"on {self.exam}, in {count(self.days, 'day')}"
        )
        if self.limit >= self.a_day:
            return words
        return f"{words}; the preset's {self.limit} a day would leave {self.missed} unseen"

    @property
    def missed(self) -> int:
        """The cards that the preset's limit does not reach in time."""
        return max(0, self.cards - self.limit * max(self.days, 0))


def paces(bank: Bank, cards: Mapping[str, int], release: int) -> tuple[Pace, ...]:
    """The pace of each unit that has an exam date and cards in the deck."""
    today = datetime.datetime.fromtimestamp(release, datetime.UTC).date()
    return tuple(
        Pace(unit.info.title, cards[unit.id], unit.info.exam_on, today, _limit(unit))
        for unit in bank.units
        if unit.info.exam_on is not None and cards.get(unit.id)
    )


def _limit(unit: Unit) -> int:
    return unit.info.preset.new_per_day if unit.info.preset else _ANKI_DEFAULT
