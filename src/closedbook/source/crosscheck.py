"""What no file can tell for itself: ids, outcomes, sources, names, and each card's checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from closedbook.model import course
from closedbook.model.bank import Bank, Card, Unit
from closedbook.model.gaps import ANY_GAP, BRACES, GAP, HIGHEST, NO_GAP, almost, near_gaps
from closedbook.model.kinds import Cloze, Derivation, Task
from closedbook.model.kinds.base import SourceAt
from closedbook.model.origin import Loc
from closedbook.problem import Note, Problem, did_you_mean
from closedbook.source.draws import space_of
from closedbook.source.exams import exam_problems
from closedbook.source.names import no_reference
from closedbook.source.realise import realise
from closedbook.source.templates import is_template

_NAMED = 6
"""So many outcomes are named where none is near the one that was written."""


def crosscheck(bank: Bank, *, drawn: bool = True) -> list[Problem]:
    """Everything that is wrong between the parts of a bank whose parts are each well-formed.

    ``drawn`` says that a draw of each card is made out too; of a retired one it always is.
    """
    problems = list(_ids(bank))
    cards = {card.id: card for card in bank.cards}
    for card in bank.cards:
        problems += _card(bank, card)
        if (drawn or card.content.retired) and not _in_doubt(bank, card):
            problems += first_draw(bank, card)
        if isinstance(card.content, Task):
            problems += _traps(bank, card, card.content, cards)
    for unit in bank.units:
        problems += _subdecks(bank, unit)
        problems += _syllabus(bank, unit, cards)
    problems += _course(bank)
    return [*problems, *exam_problems(bank, cards)]


def _card(bank: Bank, card: Card) -> Iterator[Problem]:
    yield from _outcomes(card)
    yield from _source(card)
    if isinstance(card.content, Cloze):
        yield from _gaps(card, card.content)
    if isinstance(card.content, Task):
        yield from _references(bank, card, card.content)
    if isinstance(card.content, Derivation):
        yield from _steps(card, card.content)


def first_draw(bank: Bank, card: Card) -> list[Problem]:
    """What is wrong with a card's draws, and with the first of them."""
    space, problems = space_of(card)
    if space is not None:
        first = next(space.walk(), None) if space.exact else space.sample(1)[0]
        if first is not None:
            problems += realise(card, first, bank.generators)[1]
    return problems


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
        for loc, old in _listed("was", card.content.was):
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


def _syllabus(bank: Bank, unit: Unit, cards: dict[str, Card]) -> Iterator[Problem]:
    """What a unit is to teach is covered by cards that exist and are not retired."""
    for index, item in enumerate(unit.info.syllabus):
        for at, name in enumerate(item.cards):
            card = cards.get(name)
            if name in bank.unread or (card is not None and not card.content.retired):
                continue
            message = f"no card has the id {name!r}{did_you_mean(name, cards)}"
            if card is not None:
                message = f"the card {name!r} is retired and covers nothing"
            yield unit.origin.problem(("syllabus", index, "cards", at), message)


def _course(bank: Bank) -> Iterator[Problem]:
    """A unit comes after units that are there, and in the end never after itself."""
    known = bank.unread_units.union(unit.id for unit in bank.units)
    for unit in bank.units:
        for field in ("after", "leads_to"):
            for index, name in enumerate(getattr(unit.info, field)):
                if not course.looks_like_id(name) or name in known:
                    continue
                words = name.replace("-", " ").capitalize()
                other = f" (a subject that is no unit is written in words: {words!r})"
                message = f"the bank has no unit {name!r}{did_you_mean(name, known) or other}"
                yield unit.origin.problem((field, index), message)
    for circle, (unit, loc) in course.circles(bank.units):
        way = " after ".join(map(repr, reversed(circle)))
        yield unit.origin.problem(loc, f"here units go in a circle: {way}")


def _listed(field: str, values: tuple[str, ...]) -> Iterator[tuple[Loc, str]]:
    for index, value in enumerate(values):
        yield (field, index), value


def _some(names: Iterable[str]) -> str:
    """The first few names, in words."""
    shown = [repr(name) for name in names]
    return ", ".join(shown[:_NAMED]) + (" …" if len(shown) > _NAMED else "")


def _outcomes(card: Card) -> Iterator[Problem]:
    known = card.unit.info.outcomes
    if not known:
        return  # the unit could not be read, and that has been said
    for loc, outcome in _listed("outcome", card.content.outcome):
        if outcome not in known:
            hint = did_you_mean(outcome, known) or f" (it has {_some(known)})"
            message = f"unit {card.unit.id!r} has no outcome {outcome!r}{hint}"
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
    """There is a gap, and at first no number is left out; each gap for itself is rendering's."""
    text = content.text
    near = list(near_gaps(text))
    # Of a text that is filled in, who fills it in tells: to Jinja most of these are its own.
    filled = content.vary is not None and is_template(text)
    if not ANY_GAP.search(text) and not filled and (braces := BRACES.search(text)):
        near = near or [(braces.start(), almost(1, braces[1]))]
    for offset, message in near if not filled else ():
        yield card.origin.problem(("text",), message, offset=offset, card=card.id)
    if near:
        return
    if not ANY_GAP.search(text):
        yield card.origin.problem(("text",), NO_GAP, card=card.id)
        return
    numbers = {int(match[1][:9]): match.start() for match in reversed([*GAP.finditer(text)])}
    for number, offset in sorted(numbers.items()):
        if 1 < number <= HIGHEST and number - 1 not in numbers:
            # no error: where a gap is taken out of a released card, the others must keep theirs
            message = (
                f"gap c{number} comes without a c{number - 1}: "
                "number a new card's gaps without holes"
            )
            yield card.origin.problem(
                ("text",), message, offset=offset, severity="warning", card=card.id
            )
            return


def _in_doubt(bank: Bank, card: Card) -> bool:
    """Whether a card uses a name in doubt: what is wrong with that is said where it is defined."""
    return bool(bank.doubtful) and not bank.doubtful.isdisjoint(
        _words(card.content.model_dump(exclude_none=True))
    )


def _words(value: object) -> Iterator[str]:
    """Every text in plain data."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _words(list(value.values()))
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _words(item)


def _references(bank: Bank, card: Card, content: Task) -> Iterator[Problem]:
    """A task is graded against references."""
    for asked, name in content.references.items():
        found = bank.generators.get(name)
        if (found is None or found.role != "reference") and name not in bank.doubtful:
            message = no_reference(name, bank.generators)
            yield card.origin.problem(("reference", asked), message, card=card.id)


def _traps(bank: Bank, card: Card, content: Task, cards: dict[str, Card]) -> Iterator[Problem]:
    """A point of a contract may name the trap card that explains it."""
    for name, point in content.contract.items():
        if point.trap is not None and point.trap not in bank.unread.union(cards):
            message = f"no card has the id {point.trap!r}{did_you_mean(point.trap, cards)}"
            yield card.origin.problem(("contract", name, "trap"), message, card=card.id)


def _steps(card: Card, content: Derivation) -> Iterator[Problem]:
    """The ids of steps are unique in their card."""
    first: dict[str, int] = {}
    for index, step in enumerate(content.steps):
        if step.id is not None and first.setdefault(step.id, index) != index:
            note = Note("first used here", card.origin.place(("steps", first[step.id], "id")))
            message = f"the id {step.id!r} is taken by another step"
            loc = ("steps", index, "id")
            yield card.origin.problem(loc, message, card=card.id, notes=(note,))


def _subdecks(bank: Bank, unit: Unit) -> Iterator[Problem]:
    """A subdeck is that of a card file."""
    # The files that are there, and not the cards that could be read of them.
    paths = (path for path in bank.digests if path.startswith(f"cards/{unit.id}/"))
    files = {path.rsplit("/", 1)[-1].rsplit(".", 1)[0] for path in paths} - {"unit"}
    for name in unit.info.subdecks:
        if name not in files:
            message = f"the unit has no cards in a file {name!r}{did_you_mean(name, files)}"
            yield unit.origin.problem(("subdecks", name), message, key=True)
