"""What an exam's blueprint says of cards, outcomes and units, against the bank."""

from __future__ import annotations

from collections.abc import Iterator

from closedbook.model.bank import Bank, Blueprint, Card
from closedbook.model.origin import Loc
from closedbook.problem import Note, Problem, did_you_mean


def exam_problems(bank: Bank, cards: dict[str, Card]) -> Iterator[Problem]:
    """Names that lead nowhere in any blueprint; ``cards`` are those of the bank by id."""
    yield from _exam_ids(bank)
    for blueprint in bank.blueprints:
        yield from _blueprint(bank, blueprint, cards)


def _exam_ids(bank: Bank) -> Iterator[Problem]:
    """An exam is called by its file's name, whatever the folder."""
    first: dict[str, Blueprint] = {}
    for blueprint in bank.blueprints:
        other = first.setdefault(blueprint.id, blueprint)
        if other is not blueprint:
            note = Note("the other is here", other.origin.place())
            message = f"another exam is called {blueprint.id!r}: rename one of the files"
            yield blueprint.origin.problem((), message, notes=(note,))


def _blueprint(bank: Bank, blueprint: Blueprint, cards: dict[str, Card]) -> Iterator[Problem]:
    origin = blueprint.origin
    outcomes = {outcome for unit in bank.units for outcome in unit.info.outcomes}
    units = {unit.id for unit in bank.units}
    for number, section in enumerate(blueprint.info.sections):
        at: Loc = ("sections", number)
        named = [((*at, "cards", i), name, False) for i, name in enumerate(section.cards)]
        named += [((*at, "points_of", name), name, True) for name in section.points_of]
        for loc, name, key in named:
            card = cards.get(name)
            if card is None and name in bank.unread:
                continue  # what is wrong with it is said where it stands
            if card is None:
                message = f"no card has the id {name!r}{did_you_mean(name, cards)}"
                yield origin.problem(loc, message, key=key)
            elif card.content.retired:
                yield origin.problem(loc, f"the card {name!r} is retired", key=key)
        if section.pool is None:
            continue
        for loc, word, known, what in (
            *((("outcome", i), o, outcomes, "outcome") for i, o in enumerate(section.pool.outcome)),
            *((("unit", i), u, units, "unit") for i, u in enumerate(section.pool.unit)),
        ):
            if word in bank.unread_units or (what == "outcome" and bank.unread_units):
                continue  # what is wrong with a unit is said there, and its outcomes are not known
            if word not in known:
                message = f"the bank has no {what} {word!r}{did_you_mean(word, known)}"
                yield origin.problem((*at, "from", *loc), message)
