"""What no file can tell for itself: ids, outcomes, sources, names, and each card's checks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from closedbook.model.bank import Bank, Blueprint, Card
from closedbook.model.kinds import Cloze, Task
from closedbook.model.kinds.base import SourceAt
from closedbook.model.origin import Loc
from closedbook.problem import Note, Problem, did_you_mean
from closedbook.source.draws import space_of
from closedbook.source.realise import realise

_GAP = re.compile(r"\{\{c(\d+)::")
_ALMOST_GAP = re.compile(r"\{\{\s*[cC]\s*(\d*)\s*:{1,2}|\{c\d+::")


def crosscheck(bank: Bank) -> list[Problem]:
    """Everything that is wrong between the parts of a bank whose parts are each well-formed."""
    problems = list(_ids(bank))
    for card in bank.cards:
        problems += _card(bank, card)
    cards = {card.id: card for card in bank.cards}
    for blueprint in bank.blueprints:
        problems += _blueprint(bank, blueprint, cards)
    return problems


def _card(bank: Bank, card: Card) -> Iterator[Problem]:
    yield from _outcomes(card)
    yield from _source(card)
    if isinstance(card.content, Cloze):
        yield from _gaps(card, card.content)
    if isinstance(card.content, Task):
        yield from _references(bank, card, card.content)
    space, problems = space_of(card)
    yield from problems
    if space is not None:
        first = next(space.walk(), None) if space.exact else space.sample(1)[0]
        if first is not None:
            yield from realise(card, first, bank.generators)[1]


def _ids(bank: Bank) -> Iterator[Problem]:
    """Ids are unique in a bank, and an old id names one card for ever."""
    owners: dict[str, Card] = {}
    for card in bank.cards:
        first = owners.setdefault(card.id, card)
        if first is not card:
            message = f"the id {card.id!r} is taken: ids are unique in a bank"
            note = Note("first used here", first.origin.place(("id",)))
            yield card.origin.problem(("id",), message, card=card.id, notes=(note,))
    former: dict[str, Card] = {}
    for card in bank.cards:
        for loc, old in _listed(card, "was", card.content.was):
            other = owners.get(old) or former.get(old)
            former.setdefault(old, card)
            if other is None:
                continue
            place = other.origin.place(("id",))
            if other is card:
                twice = old != card.id
                message = f"{old!r} is listed twice" if twice else f"{old!r} is this card's own id"
                yield card.origin.problem(loc, message, card=card.id)
            else:
                message = f"the old id {old!r} belongs to another card"
                note = Note(f"card {other.id!r} is here", place)
                yield card.origin.problem(loc, message, card=card.id, notes=(note,))


def _listed(card: Card, field: str, values: tuple[str, ...]) -> Iterator[tuple[Loc, str]]:
    for index, value in enumerate(values):
        yield (field, index), value


def _outcomes(card: Card) -> Iterator[Problem]:
    known = card.unit.info.outcomes
    if not known:
        return  # the unit could not be read, and that has been said
    for loc, outcome in _listed(card, "outcome", card.content.outcome):
        if outcome not in known:
            message = (
                f"unit {card.unit.id!r} has no outcome {outcome!r}{did_you_mean(outcome, known)}"
            )
            yield card.origin.problem(loc, message, card=card.id)


def _source(card: Card) -> Iterator[Problem]:
    source = card.content.source
    if source is None or not card.unit.info.outcomes:
        return
    loc: Loc = ("source",)
    name = source
    if isinstance(source, SourceAt):
        loc, name = ("source", "id"), source.id
    known = card.unit.info.resources
    if name not in known:
        message = f"unit {card.unit.id!r} has no resource {name!r}{did_you_mean(str(name), known)}"
        yield card.origin.problem(loc, message, card=card.id)


def _gaps(card: Card, content: Cloze) -> Iterator[Problem]:
    """Gaps are numbered from c1 without holes: Anki makes one card of each number."""
    text = content.text
    numbers = {int(match[1][:9]): match.start() for match in reversed([*_GAP.finditer(text)])}
    if not numbers:
        near = _ALMOST_GAP.search(text)
        message = "a cloze text needs a gap: {{c1::…}}"
        offset = near.start() if near else None
        yield card.origin.problem(("text",), message, offset=offset, card=card.id)
        return
    for number, offset in sorted(numbers.items()):
        if number < 1:
            message = "gaps are numbered from c1"
            yield card.origin.problem(("text",), message, offset=offset, card=card.id)
        elif number > 1 and number - 1 not in numbers:
            message = (
                f"gap c{number} comes without a c{number - 1}: gaps are numbered without holes"
            )
            yield card.origin.problem(("text",), message, offset=offset, card=card.id)
            return


def _references(bank: Bank, card: Card, content: Task) -> Iterator[Problem]:
    """A task is graded against references."""
    reference = content.reference
    named: list[tuple[Loc, str]] = (
        [(("reference",), reference)]
        if isinstance(reference, str)
        else [(("reference", name), of) for name, of in reference.items()]
    )
    known = [name for name, g in bank.generators.items() if g.role == "reference"]
    for loc, name in named:
        if name not in known:
            message = f"no reference is called {name!r}{did_you_mean(name, known)}"
            yield card.origin.problem(loc, message, card=card.id)


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
            if word not in known:
                message = f"the bank has no {what} {word!r}{did_you_mean(word, known)}"
                yield origin.problem((*at, "from", *loc), message)
