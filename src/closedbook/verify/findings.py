"""What went wrong, gathered over a card's draws: the first of a kind in full, the rest counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from closedbook.model.bank import Card, Draw, DrawnCard, Generator
from closedbook.model.claim import Claim
from closedbook.model.origin import Loc
from closedbook.problem import Note, Problem, count
from closedbook.verify.as_written import loc_as_written, offset_as_written
from closedbook.verify.failures import failed_fact, failed_run, loc_of_argument, spot_of
from closedbook.verify.job import Outcome
from closedbook.verify.rules.finding import Finding
from closedbook.verify.words import draw_in_words

_VARIES = re.compile(r" \(did you mean .*?\?\)|'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|-?[\d.]*\d")
"""What draws write into a message: the words that it quotes, and numbers."""

Kind = tuple[Hashable, ...]
"""Card, place, rule, and so on: what is the same mistake in another draw."""


@dataclass(slots=True)
class _Gathered:
    problem: Problem
    first: int
    draws: set[int]


class Findings:
    """The problems of a run, one for each mistake, however many draws it breaks.

    Outcomes come in any order; of a mistake's draws, the one with the lowest ``number`` is told.
    """

    def __init__(self) -> None:
        self._found: dict[Kind, _Gathered] = {}
        self._misspelt: set[tuple[str, Loc]] = set()
        """Formulas in which a word is wrong: what else is said of their text is of no use."""

    def add(self, kind: Kind, draw: Draw, number: int, word: Callable[[], Problem]) -> None:
        """Note a mistake that one draw shows; ``word`` is called only where it is to be told."""
        held = self._found.get(kind)
        if held is not None:
            held.draws.add(number)
            if number >= held.first:
                return
        problem = word()
        problem = replace(problem, message=draw_in_words(draw) + problem.message)
        if held is None:
            self._found[kind] = _Gathered(problem, number, {number})
        else:
            held.problem, held.first = problem, number

    def read(self, drawn: DrawnCard, number: int, found: Iterable[Finding]) -> None:
        """Note what the rules found in one draw of a card.

        A finding is that of another draw where both come from one place of the text as its author
        wrote it: what stands there differs from draw to draw.
        """
        card, told = drawn.card, set[tuple[str, Loc, str]]()
        unplaced = Counter[tuple[str, Loc]]()
        for finding in found:
            if (finding.rule, finding.loc, finding.token) in told:
                continue
            told.add((finding.rule, finding.loc, finding.token))
            loc = loc_as_written(drawn, finding.loc)
            offset = offset_as_written(drawn, finding.loc, finding.offset)
            unplaced[finding.rule, loc] += offset is None
            spot = -unplaced[finding.rule, loc] if offset is None else offset
            word = partial(_finding, card, finding, loc, offset)
            self.add((card.id, loc, finding.rule, spot), drawn.draw, number, word)

    def problems_of(
        self,
        card: Card,
        draw: Draw,
        number: int,
        problems: Iterable[Problem],
        *,
        named: bool = True,
    ) -> None:
        """Note what reading one draw brought up; ``named`` where the messages name the draw."""
        alike = Counter[Kind]()
        for problem in dict.fromkeys(problems):
            kind = (card.id, problem.place, _pattern(problem.message, draw), problem.severity)
            alike[kind] += 1
            word = partial(replace, problem, card=problem.card or card.id)
            self.add((*kind, alike[kind]), draw if named else {}, number, word)

    def outcome(
        self,
        drawn: DrawnCard,
        number: int,
        claim: Claim,
        outcome: Outcome,
        generator: Generator,
    ) -> None:
        """Note why a claim does not hold: a problem for each fact, or one for the run itself."""
        card, check = drawn.card, claim.check
        assert check is not None  # noqa: S101 - only claims with a check have outcomes
        if outcome.error is not None:
            loc = check.loc
            if outcome.argument is not None:
                loc = loc_of_argument(drawn, check, outcome.argument)
            word = partial(failed_run, card, check, loc, outcome, generator)
            self.add((card.id, loc, "run"), drawn.draw, number, word)
        for mismatch in outcome.mismatches:
            spot = spot_of(drawn, claim, check, mismatch)
            if mismatch.kind == "unusable" and mismatch.column is not None:
                self._misspelt.add((card.id, spot.loc))
            word = partial(failed_fact, card, check, mismatch, spot, generator)
            self.add((card.id, spot.loc, "fact"), drawn.draw, number, word)

    def problems(self) -> list[Problem]:
        """Every mistake, in the order of the files, and at one place in that of the draws."""
        listed = [
            (gathered.first, _counted(gathered))
            for kind, gathered in self._found.items()
            if not (kind[2] == "formula" and kind[:2] in self._misspelt)
        ]
        listed.sort(key=lambda pair: (pair[1].place, pair[0], pair[1].message))
        return [problem for _, problem in listed]


def _pattern(message: str, draw: Draw) -> str:
    """A message without what a draw may have written into it."""
    if not draw:
        return message
    for value in draw.values():
        if isinstance(value, str) and value:
            message = message.replace(value, "…")
    return _VARIES.sub("…", message)


def _finding(card: Card, finding: Finding, loc: Loc, offset: int | None) -> Problem:
    return card.origin.problem(loc, finding.message, offset=offset, card=card.id)


def _counted(gathered: _Gathered) -> Problem:
    if len(gathered.draws) == 1:
        return gathered.problem
    more = Note(f"and in {count(len(gathered.draws) - 1, 'more draw')}")
    return replace(gathered.problem, notes=(*gathered.problem.notes, more))
