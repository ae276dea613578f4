"""Generators that no check can use: each is told once, at its own line, with what waits for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from closedbook.model.bank import Generator
from closedbook.problem import Note, Place, Problem, count
from closedbook.verify.job import Outcome

_NAMED = 6
"""So many of the cards that wait are named."""

SourceLine = Callable[[Place], str | None]
"""A line of one of the bank's files."""


@dataclass(slots=True)
class _Broken:
    """One fault: what is said of it, its frames, and what waits for it."""

    said: str
    frames: list[str]
    cards: set[str] = field(default_factory=set)
    functions: set[str] = field(default_factory=set)


class BrokenGenerators:
    """The faults of generators that a run has come upon."""

    def __init__(self) -> None:
        self._found: dict[tuple[Place, str], _Broken] = {}
        self.waiting: dict[str, Place] = {}
        """The cards that wait, each with the place that it waits for."""

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, outcome: Outcome, generator: Generator, card: str | None = None) -> None:
        """Take the outcome of a check of ``card``; of a marked Function itself where it is None."""
        said, *frames = (outcome.error or "").splitlines() or [""]
        place = outcome.place if outcome.place and outcome.place.line else generator.place
        # Whichever file imports a broken one, the fault is one: its place and what was raised.
        fault = (place, said.partition(": ")[2] or said)
        held = self._found.setdefault(fault, _Broken(said, frames))
        if said < held.said:  # outcomes come in any order
            held.said, held.frames = said, frames
        if card is None:
            held.functions.add(generator.name)
        else:
            held.cards.add(card)
            self.waiting[card] = min(place, self.waiting.get(card, place))

    def problems(self, source_line: SourceLine) -> list[Problem]:
        """One problem for each fault, in the order of the files."""
        listed = [
            _problem(place, broken, source_line) for (place, _), broken in self._found.items()
        ]
        return sorted(listed, key=lambda problem: (problem.place, problem.message))


def _problem(place: Place, broken: _Broken, source_line: SourceLine) -> Problem:
    line = source_line(place)
    column = len(line) - len(line.lstrip()) + 1 if line and line.strip() else 0
    frames = broken.frames if len(broken.frames) > 1 else []  # one alone is the line that is shown
    notes = [Note(frame.strip()) for frame in frames]
    if broken.functions:
        notes.append(Note(_waiting(broken.functions, "marked Function")))
    if broken.cards:
        notes.append(Note(_waiting(broken.cards, "card")))
    return Problem(
        Place(place.path, place.line, column), broken.said, excerpt=line, notes=tuple(notes)
    )


def _waiting(names: set[str], what: str) -> str:
    """``2 cards wait for it: 'one', 'two'``."""
    shown = ", ".join(repr(name) for name in sorted(names)[:_NAMED])
    more = " …" if len(names) > _NAMED else ""
    verb = "waits" if len(names) == 1 else "wait"
    return f"{count(len(names), what)} {verb} for it: {shown}{more}"
