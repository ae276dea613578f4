"""The type that exporters take. Only :mod:`closedbook.verify` can make one.

An unverified card cannot be exported, by construction: the constructor asks for a token that
only the engine holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias, Union

from closedbook.model.bank import Bank, Card, Draw, DrawnCard
from closedbook.model.claim import Claim
from closedbook.problem import Place

Fact: TypeAlias = Union[
    None, bool, int, float, str, tuple[int, ...], list["Fact"], Mapping[str, "Fact"]
]
"""An observed value as plain data: a shape is a tuple, a tensor's values are nested lists."""

_TOKEN = object()


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a check observed when it held.

    ``run`` is the call in words (``LinearFunction(input=(5, 4), weight=(3, 4))``), ``facts`` the
    observed value of each expected fact, ``place`` where the generator stands, ``quote`` the
    captured text that the claim quotes, ``torch`` the version that it was observed on. ``words``
    holds the facts as a reader is shown them (:mod:`closedbook.verify.words`).
    """

    run: str
    facts: Mapping[str, Fact]
    place: Place
    torch: str
    quote: str | None = None
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class VerifiedDraw:
    """A drawn card whose claims all hold. ``evidence[i]`` belongs to ``drawn.claims[i]``.

    It is None for a claim that is ``unchecked``, or outside its ``versions``.
    """

    drawn: DrawnCard
    evidence: tuple[Evidence | None, ...]

    def evidence_of(self, claim: Claim) -> Evidence | None:
        """The evidence of one of this draw's claims."""
        return self.evidence[self.drawn.claims.index(claim)]


@dataclass(frozen=True, slots=True)
class VerifiedCard:
    """A card and the draws of it that were verified (one empty draw where it does not vary)."""

    card: Card
    draws: Sequence[Draw]
    _at: Callable[[int], VerifiedDraw]

    def at(self, index: int) -> VerifiedDraw:
        """The card under ``draws[index]``; made when asked for, so that memory stays flat."""
        return self._at(index)

    def deck_draws(self) -> tuple[VerifiedDraw, ...]:
        """The fixed draws that the deck carries, ``deck_variants`` of them, spread evenly."""
        wanted = min(self.card.content.deck_variants, len(self.draws))
        step = len(self.draws) / wanted
        return tuple(self.at(int(step * i + step / 2)) for i in range(wanted))


class VerifiedBank:
    """A bank in which every check held. Retired cards are not among ``cards``."""

    __slots__ = ("bank", "cards", "torch")

    def __init__(
        self, token: object, bank: Bank, cards: tuple[VerifiedCard, ...], torch: str
    ) -> None:
        if token is not _TOKEN:
            raise TypeError("only closedbook.verify makes a VerifiedBank")
        self.bank = bank
        self.cards = cards
        self.torch = torch

    def card(self, id: str) -> VerifiedCard | None:
        """The verified card with that id."""
        return next((card for card in self.cards if card.card.id == id), None)
