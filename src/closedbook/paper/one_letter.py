"""Papers whose options keep the card's order: whether one letter answers them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from closedbook.model.bank import Blueprint, Card
from closedbook.model.kinds import Question
from closedbook.paper.labels import letters
from closedbook.problem import Problem


def moves_options(blueprint: Blueprint, section: int) -> bool:
    """Whether the section shuffles the options of its questions."""
    info = blueprint.info
    return (info.sections[section].shuffle or info.shuffle) in ("options", "both")


def one_letter_for_all(
    blueprint: Blueprint, asked: Iterable[tuple[str, ...]], cards: Mapping[str, Card]
) -> Iterator[Problem]:
    """A warning for each section whose unshuffled choices all have their right option in one place.

    ``asked`` holds section by section the cards that may stand in it.
    """
    for index, names in enumerate(asked):
        if moves_options(blueprint, index):
            continue
        found = [right for name in names if (right := _right(cards[name]))]
        if len(found) > 1 and len(set(found)) == 1:
            section = blueprint.info.sections[index]
            loc = ("sections", index, "shuffle") if section.shuffle else ("shuffle",)
            yield blueprint.origin.problem(
                loc,
                f"{', '.join(found[0])} answers every choice of section '{section.title}': its "
                "options keep the order of their cards, and all cards have the right one there "
                "(say 'shuffle: options' or 'both')",
                severity="warning",
            )


def _right(card: Card) -> tuple[str, ...]:
    """The letters of the right options, those marked ``last`` at the end; none without options."""
    if not isinstance(card.content, Question):
        return ()
    options = sorted(card.content.options, key=lambda option: option.last)
    return tuple(letters(at) for at, option in enumerate(options) if option.right is not None)
