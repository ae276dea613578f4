"""The way through a bank's units: what comes before a unit, and what it leads to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from graphlib import CycleError, TopologicalSorter

from closedbook.model.bank import Unit
from closedbook.model.kinds.base import SLUG
from closedbook.model.origin import Loc

Edge = tuple[Unit, Loc]
"""The unit that says so, and where."""


def looks_like_id(text: str) -> bool:
    """Whether an entry of ``after`` or ``leads_to`` can only be meant as the id of a unit."""
    return re.fullmatch(SLUG, text) is not None


def unit_named(text: str, units: Iterable[Unit]) -> Unit | None:
    """The unit that an entry of ``after`` or ``leads_to`` names, by its id or its title.

    None for what is a subject outside of the bank.
    """
    return next((unit for unit in units if text in (unit.id, unit.info.title)), None)


def subjects(entries: Iterable[str], units: Iterable[Unit]) -> list[str]:
    """What entries of ``after`` or ``leads_to`` name, for people: of a unit, its title."""
    known = tuple(units)
    return [unit.info.title if (unit := unit_named(each, known)) else each for each in entries]


def in_order(units: Iterable[Unit]) -> tuple[Unit, ...]:
    """The units so that each stands behind what it comes after, else as they stood.

    In a circle, which :func:`circles` tells, the first goes first.
    """
    left = {unit.id: unit for unit in units}
    before = _before(left.values())
    ordered = []
    while left:
        free = (unit for unit in left.values() if not before[unit.id].keys() & left.keys())
        ordered.append(left.pop(next(free, next(iter(left.values()))).id))
    return tuple(ordered)


def circles(units: Iterable[Unit]) -> list[tuple[list[str], Edge]]:
    """Ids of units that come after one another in a circle, and where the circle can be opened.

    The first id stands at the end again; each comes before the next.
    """
    before = _before(units)
    found: list[tuple[list[str], Edge]] = []
    while True:
        try:
            TopologicalSorter({unit: list(edges) for unit, edges in before.items()}).prepare()
        except CycleError as error:
            circle: list[str] = error.args[1]
            found.append((circle, before[circle[-1]].pop(circle[-2])))
        else:
            return found


def _before(units: Iterable[Unit]) -> Mapping[str, dict[str, Edge]]:
    """For each unit the ids of those that come before it, and who says so."""
    known = tuple(units)
    before: dict[str, dict[str, Edge]] = {unit.id: {} for unit in known}
    for unit in known:
        for index, text in enumerate(unit.info.after):
            if other := unit_named(text, known):
                before[unit.id].setdefault(other.id, (unit, ("after", index)))
        for index, text in enumerate(unit.info.leads_to):
            if other := unit_named(text, known):
                before[other.id].setdefault(unit.id, (unit, ("leads_to", index)))
    return before
