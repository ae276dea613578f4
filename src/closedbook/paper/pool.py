"""Which cards a section may draw from, and what is wrong with a blueprint's wishes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from closedbook.model.bank import Bank, Blueprint, Card
from closedbook.model.blueprint import Pool, Section
from closedbook.paper.one_letter import one_letter_for_all
from closedbook.paper.points import points_text
from closedbook.paper.weights import shares
from closedbook.problem import Note, Problem, count, did_you_mean


@dataclass(frozen=True, slots=True)
class Group:
    """``count`` places of section ``section``, each to be taken by one of ``cards``."""

    section: int
    count: int
    cards: tuple[str, ...]


@dataclass(slots=True)
class Wishes:
    """A blueprint held against a bank: fixed cards and pools, section by section."""

    fixed: list[tuple[str, ...]] = field(default_factory=list)
    pools: list[tuple[str, ...]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def fits(card: Card, pool: Pool) -> bool:
    """Whether the card is what the pool asks for: one of each list, the difficulty, all tags."""
    content = card.content
    low, high = pool.difficulty
    return (
        low <= content.difficulty <= high
        and (not pool.outcome or bool(set(pool.outcome) & set(content.outcome)))
        and (not pool.kind or card.kind in pool.kind)
        and set(pool.tags) <= set(content.tags)
        and (not pool.unit or card.unit.id in pool.unit)
    )


def points_of(section: Section, card: str) -> Fraction:
    """What a card is worth in a section."""
    return section.points_of.get(card, section.points)


def read_wishes(bank: Bank, blueprint: Blueprint) -> Wishes:
    """Fixed cards and pools of every section, and all that cannot be had."""
    wishes = Wishes()
    cards = {card.id: card for card in bank.cards if not card.content.retired}
    placed: dict[str, int] = {}
    for index, section in enumerate(blueprint.info.sections):
        fixed = []
        for at, name in enumerate(section.cards):
            if name not in cards:
                continue  # the reader has told of it
            problem = _fixed_problem(blueprint, index, at, cards, placed)
            if problem:
                wishes.problems.append(problem)
            else:
                placed[name] = index
                fixed.append(name)
        wishes.fixed.append(tuple(fixed))
        wishes.problems += _override_problems(blueprint, index, cards)
    for index, section in enumerate(blueprint.info.sections):
        pool, problems = _pool(blueprint, index, section, cards, placed)
        wishes.pools.append(pool)
        wishes.problems += problems
    asked = [(*fixed, *pool) for fixed, pool in zip(wishes.fixed, wishes.pools, strict=True)]
    wishes.problems += one_letter_for_all(blueprint, asked, cards)
    return wishes


def _fixed_problem(
    blueprint: Blueprint,
    index: int,
    at: int,
    cards: Mapping[str, Card],
    placed: Mapping[str, int],
) -> Problem | None:
    section = blueprint.info.sections[index]
    name = section.cards[at]
    loc = ("sections", index, "cards", at)
    if name in placed:
        other = blueprint.info.sections[placed[name]].title
        return blueprint.origin.problem(
            loc, f"card '{name}' stands twice on this paper: already in section '{other}'"
        )
    return _points_problem(blueprint, index, cards[name])


def _points_problem(blueprint: Blueprint, index: int, card: Card) -> Problem | None:
    section = blueprint.info.sections[index]
    worth = points_of(section, card.id)
    found, reason = shares(card.content, worth)
    if found is not None:
        return None
    overridden = card.id in section.points_of
    loc = ("sections", index, "points_of", card.id) if overridden else ("sections", index, "points")
    return blueprint.origin.problem(
        loc,
        f"card '{card.id}' cannot be worth {points_text(worth)}: {reason}",
        notes=(
            Note("the card", card.origin.place()),
            Note(f"give it points of its own here: points_of: {{{card.id}: …}}"),
        ),
        card=card.id,
    )


def _override_problems(
    blueprint: Blueprint, index: int, cards: Mapping[str, Card]
) -> Iterator[Problem]:
    section = blueprint.info.sections[index]
    for name in section.points_of:
        card = cards.get(name)
        inside = card is not None and (
            name in section.cards or (section.pool is not None and fits(card, section.pool))
        )
        if not inside:
            yield blueprint.origin.problem(
                ("sections", index, "points_of", name),
                f"section '{section.title}' has no card '{name}' to give these points to"
                f"{did_you_mean(name, section.cards)}",
                key=True,
            )


def _pool(
    blueprint: Blueprint,
    index: int,
    section: Section,
    cards: Mapping[str, Card],
    placed: Mapping[str, int],
) -> tuple[tuple[str, ...], list[Problem]]:
    """The cards that the section can draw, and what is wrong where they are too few.

    A card that is fixed on this paper is not drawn again. A card that cannot be worth the
    section's points is left out, and a warning says so.
    """
    if section.pool is None or section.pick is None:
        return (), []
    fitting = [c for c in cards.values() if fits(c, section.pool) and c.id not in placed]
    reasons = {
        card.id: reason
        for card in fitting
        if not (found := shares(card.content, points_of(section, card.id)))[0]
        and (reason := found[1])
    }
    usable = tuple(card.id for card in fitting if card.id not in reasons)
    notes = tuple(Note(f"'{name}' is left out: {reason}") for name, reason in reasons.items())
    if len(usable) < section.pick:
        elsewhere = {name: at for name, at in placed.items() if fits(cards[name], section.pool)}
        notes += tuple(
            Note(f"'{name}' fits, but stands in section '{blueprint.info.sections[at].title}'")
            for name, at in elsewhere.items()
        )
        message = f"section '{section.title}' picks {section.pick} of {count(len(usable), 'card')}"
        if not fitting and not elsewhere:
            message = f"section '{section.title}' is empty: no card fits its 'from'"
        loc = ("sections", index, "pick" if fitting or elsewhere else "from")
        return usable, [blueprint.origin.problem(loc, message, notes=notes)]
    if notes:
        message = (
            f"section '{section.title}' leaves out {len(notes)} of {count(len(fitting), 'card')} "
            f"that cannot be worth {points_text(section.points)}"
        )
        loc = ("sections", index, "points")
        return usable, [blueprint.origin.problem(loc, message, severity="warning", notes=notes)]
    return usable, []
