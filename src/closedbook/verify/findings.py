"""What went wrong, gathered over a card's draws: the first of a kind in full, the rest counted."""

from __future__ import annotations

from dataclasses import dataclass, replace

from closedbook.model.bank import Card, Draw, DrawnCard, Generator
from closedbook.model.claim import Check, Claim
from closedbook.model.origin import Loc
from closedbook.problem import Note, Place, Problem
from closedbook.verify.choices import Finding
from closedbook.verify.job import Mismatch, Outcome
from closedbook.verify.plan import draw_in_words

Kind = tuple[str, Loc, str]
"""Card, place, rule or fact: what is the same mistake in another draw."""


@dataclass(slots=True)
class _Gathered:
    problem: Problem
    draws: int = 1
    last: Draw | None = None


class Findings:
    """The problems of a run, one for each mistake, however many draws it breaks."""

    def __init__(self) -> None:
        self._found: dict[Kind, _Gathered] = {}

    def add(self, kind: Kind, draw: Draw, make: Problem) -> None:
        """Note a mistake that one draw shows."""
        held = self._found.get(kind)
        if held is None:
            problem = replace(make, message=draw_in_words(draw) + make.message)
            self._found[kind] = _Gathered(problem, last=draw)
        elif held.last is not draw:
            held.draws += 1
            held.last = draw

    def finding(self, drawn: DrawnCard, finding: Finding, offset: int | None) -> None:
        """Note what a rule found; ``offset`` is its place in the text as the author wrote it."""
        kind = (drawn.card.id, finding.loc, finding.rule)
        if not self._seen(kind, drawn.draw):
            problem = drawn.card.origin.problem(
                finding.loc, finding.message, offset=offset, card=drawn.card.id
            )
            self.add(kind, drawn.draw, problem)

    def problem(self, card: Card, draw: Draw, problem: Problem) -> None:
        """Note what reading a drawn card brought up."""
        kind = (card.id, (str(problem.place),), problem.severity)
        self.add(kind, draw, replace(problem, card=problem.card or card.id))

    def outcome(
        self, drawn: DrawnCard, claim: Claim, outcome: Outcome, generator: Generator | None
    ) -> None:
        """Note why a claim does not hold: a problem for each fact, or one for the run itself."""
        check = claim.check
        assert check is not None  # noqa: S101 - only claims with a check have outcomes
        if outcome.error is not None:
            kind = (drawn.card.id, check.loc, "run")
            if not self._seen(kind, drawn.draw):
                self.add(kind, drawn.draw, _failed_run(drawn.card, check, outcome, generator))
        for mismatch in outcome.mismatches:
            loc = check.locs.get(mismatch.fact, check.loc)
            kind = (drawn.card.id, loc, f"fact {mismatch.fact}")
            if not self._seen(kind, drawn.draw):
                self.add(kind, drawn.draw, _failed_fact(drawn.card, check, mismatch, generator))

    def _seen(self, kind: Kind, draw: Draw) -> bool:
        """Count a known mistake without wording it again: 2,000 draws may all show it."""
        held = self._found.get(kind)
        if held is None:
            return False
        if held.last is not draw:
            held.draws += 1
            held.last = draw
        return True

    def problems(self) -> list[Problem]:
        """Every mistake, in the order of the files."""
        listed = [_counted(gathered) for gathered in self._found.values()]
        return sorted(listed, key=lambda problem: (problem.place, problem.message))


def _counted(gathered: _Gathered) -> Problem:
    if gathered.draws == 1:
        return gathered.problem
    more = Note(f"and in {gathered.draws - 1:,} more draws")
    return replace(gathered.problem, notes=(*gathered.problem.notes, more))


def _failed_fact(
    card: Card, check: Check, mismatch: Mismatch, generator: Generator | None
) -> Problem:
    one_line = "\n" not in mismatch.expected + mismatch.observed
    short = one_line and len(mismatch.expected) + len(mismatch.observed) < 90
    said = f"expected {mismatch.expected}, observed {mismatch.observed}"
    message = f"{mismatch.fact} of {check.run}: {said}" if short else ""
    notes = [Note(f"from {check.run}", generator.place if generator else None)]
    if not short:
        message = f"{mismatch.fact} of {check.run} is not what was expected"
        notes = [
            Note(f"expected {mismatch.expected}"),
            Note(f"observed {mismatch.observed}", generator.place if generator else None),
        ]
    loc = check.locs.get(mismatch.fact, check.loc)
    return card.origin.problem(loc, message, notes=tuple(notes), card=card.id)


def _failed_run(card: Card, check: Check, outcome: Outcome, generator: Generator | None) -> Problem:
    first, *frames = (outcome.error or "").splitlines() or [""]
    place = outcome.place or (generator.place if generator else None)
    notes = [Note(frame.strip()) for frame in frames]
    if not frames:
        notes = [Note(f"in {check.run}", place)]
    return card.origin.problem(
        check.loc, f"{check.run} failed: {first}", notes=tuple(notes), card=card.id
    )


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
