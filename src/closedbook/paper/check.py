"""What is wrong with a bank's papers, found without drawing or setting one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from closedbook.model.bank import Bank, Card
from closedbook.model.kinds import Trap
from closedbook.paper.faults import unknown_lines
from closedbook.paper.pool import read_wishes
from closedbook.paper.space import NONE, read_space
from closedbook.problem import Problem
from closedbook.source.draws import space_of
from closedbook.source.realise import realise


def check_papers(bank: Bank) -> list[Problem]:
    """Wishes of blueprints that the bank cannot fulfil, and what a card asks of a paper in vain.

    That is lines at fault that its code has not, and answer spaces that are none. For a bank that
    was read without errors.
    """
    found = [p for blueprint in bank.blueprints for p in read_wishes(bank, blueprint).problems]
    found += [problem for card in bank.cards for problem in _faults(bank, card)]
    return [*found, *(problem for card in bank.cards for problem in _spaces(card))]


def _spaces(card: Card) -> Iterator[Problem]:
    """An answer space that no paper can leave, whether or not a blueprint asks the card."""
    own = card.content.space
    space, reason = read_space(own, Fraction(1)) if own is not None else (NONE, "")
    if space is None:
        yield card.origin.problem(("space",), reason, card=card.id)


def _faults(bank: Bank, card: Card) -> Iterator[Problem]:
    if not isinstance(card.content, Trap) or not card.content.fault:
        return
    space, _ = space_of(card)
    draw = next(iter(space.walk()), None) if space else None
    drawn, _ = realise(card, draw, bank.generators) if draw is not None else (None, [])
    code = drawn.listings.get(("code",)) if drawn else None
    if code is not None:
        yield from unknown_lines(card, code)
