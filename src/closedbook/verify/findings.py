"""What went wrong, gathered over a card's draws: the first of a kind in full, the rest counted."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, replace
from functools import partial

from closedbook.model.bank import Card, Draw, DrawnCard, Generator
from closedbook.model.claim import Check, Claim
from closedbook.model.origin import Loc
from closedbook.problem import Note, Place, Problem, count
from closedbook.verify.as_written import at, loc_as_written, offset_as_written
from closedbook.verify.job import Mismatch, Outcome
from closedbook.verify.rules.finding import Finding
from closedbook.verify.words import draw_in_words

_VARIES = re.compile(r" \(did you mean .*?\?\)|'[^'\n]*'|\"[^\"\n]*\"|`[^`\n]*`|-?[\d.]*\d")
"""What draws write into a message: the words that it quotes, and numbers."""

Kind = tuple[Hashable, ...]
"""Card, place, rule: what is the same mistake in another draw."""


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
                loc = _loc_of_argument(drawn, check, outcome.argument)
            word = partial(_failed_run, card, check, loc, outcome, generator)
            self.add((card.id, loc, "run"), drawn.draw, number, word)
        for mismatch in outcome.mismatches:
            loc = check.locs.get(mismatch.fact, check.loc)
            if mismatch.fact == claim.quote and mismatch.fact not in check.expect:
                loc = (*claim.loc, "quote")
            loc = loc_as_written(drawn, loc)
            word = partial(_failed_fact, card, check, mismatch, loc, generator)
            self.add((card.id, loc, "fact"), drawn.draw, number, word)

    def problems(self) -> list[Problem]:
        """Every mistake, in the order of the files, and at one place in that of the draws."""
        listed = [(gathered.first, _counted(gathered)) for gathered in self._found.values()]
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


def _failed_fact(
    card: Card, check: Check, mismatch: Mismatch, loc: Loc, generator: Generator
) -> Problem:
    if mismatch.unusable:
        message = f"{mismatch.fact} of {check.run}: {mismatch.observed}"
        return card.origin.problem(loc, message, card=card.id)
    one_line = "\n" not in mismatch.expected + mismatch.observed
    short = one_line and len(mismatch.expected) + len(mismatch.observed) < 90
    said = f"expected {mismatch.expected}, observed {mismatch.observed}"
    message = f"{mismatch.fact} of {check.run}: {said}" if short else ""
    notes = [Note(f"from {check.run}", generator.place)]
    if not short:
        message = f"{mismatch.fact} of {check.run} is not what was expected"
        notes = [
            Note(f"expected {mismatch.expected}"),
            Note(f"observed {mismatch.observed}", generator.place),
        ]
    return card.origin.problem(loc, message, notes=tuple(notes), card=card.id)


def _loc_of_argument(drawn: DrawnCard, check: Check, name: str) -> Loc:
    """Where an argument is given: in the check itself, or in the card's, from which it comes."""
    own = (*check.loc, "with", name)
    given = own if at(drawn.content, own) is not None else ("check", "with", name)
    return loc_as_written(drawn, given)


def _failed_run(
    card: Card, check: Check, loc: Loc, outcome: Outcome, generator: Generator
) -> Problem:
    first, *frames = (outcome.error or "").splitlines() or [""]
    if outcome.argument is None:
        first = first.removeprefix(f"{check.run}: ")  # the message begins with that name
        first = f"{check.run} failed: {first}"
    place = outcome.place or generator.place
    notes = [Note(frame.strip()) for frame in frames]
    if not frames:
        notes = [Note(f"in {check.run}", place)]
    return card.origin.problem(loc, first, notes=tuple(notes), card=card.id)


def contract_problem(generator: Generator, outcome: Outcome, excerpt: str | None) -> Problem:
    """Why a marked Function is not what its mark says."""
    said = f"{generator.role} {generator.name!r}"
    if outcome.error is not None:
        first, *rest = outcome.error.splitlines()
        notes = tuple(Note(line.strip()) for line in rest)
        message = f"{said} cannot be checked: {first}"
        return Problem(generator.place, message, excerpt=excerpt, notes=notes)
    notes = tuple(
        Note(f"{m.fact}: expected {m.expected}, observed {m.observed}") for m in outcome.mismatches
    )
    message = f"{said} is not what its mark says"
    return Problem(Place(generator.path, generator.line), message, excerpt=excerpt, notes=notes)
