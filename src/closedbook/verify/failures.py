"""What an outcome says that does not hold, as a problem at the place where it is written."""

from __future__ import annotations

from typing import NamedTuple

from closedbook.model.bank import Card, DrawnCard, Generator
from closedbook.model.claim import Check, Claim
from closedbook.model.origin import Loc
from closedbook.problem import Note, Place, Problem
from closedbook.verify.as_written import at, loc_as_written, offset_as_written
from closedbook.verify.job import Mismatch, Outcome

_SHORT = 90
"""Characters of both sides that still read well on one line."""


class Spot(NamedTuple):
    """A place of a card as its author wrote it, as :class:`closedbook.model.Origin` takes it."""

    loc: Loc
    offset: int | None = None
    key: bool = False


def spot_of(drawn: DrawnCard, claim: Claim, check: Check, mismatch: Mismatch) -> Spot:
    """Where the mistake is written: in what is expected, in the fact's name, or in the quote."""
    if mismatch.kind == "unquotable":
        own = (*claim.loc, "quote")
        given = own if at(drawn.content, own) is not None else (*claim.loc[:-1], "quote")
        return Spot(loc_as_written(drawn, given))
    loc = check.locs.get(mismatch.fact, check.loc)
    formula = (*loc, "formula")
    if mismatch.kind == "unusable" and at(drawn.content, formula) is not None:
        offset = offset_as_written(drawn, formula, mismatch.column)
        return Spot(loc_as_written(drawn, formula), offset)
    return Spot(loc_as_written(drawn, loc), key=mismatch.kind != "differs")


def failed_fact(
    card: Card, check: Check, mismatch: Mismatch, spot: Spot, generator: Generator
) -> Problem:
    """Why one expectation does not hold, or could not be looked into."""
    message, notes = _in_words(check, mismatch, generator)
    return card.origin.problem(
        spot.loc, message, offset=spot.offset, key=spot.key, notes=tuple(notes), card=card.id
    )


def _in_words(check: Check, mismatch: Mismatch, generator: Generator) -> tuple[str, list[Note]]:
    subject = f"{mismatch.fact} of {check.run}"
    expected, observed = mismatch.expected, mismatch.observed
    origin = Note(f"from {check.run}", generator.place)
    if mismatch.kind == "unquotable":
        return f"{mismatch.fact!r} cannot be quoted: {observed}", [origin]
    if mismatch.kind == "unknown":
        return f"{subject}: {observed}", [origin]
    if mismatch.kind == "unusable":
        return f"{subject}: {observed}", []
    if "\n" not in expected + observed and len(expected) + len(observed) < _SHORT:
        return f"{subject}: expected {expected}, observed {observed}", [origin]
    sides = [Note(f"expected {expected}"), Note(f"observed {observed}", generator.place)]
    return f"{subject} is not what was expected", sides


def loc_of_argument(drawn: DrawnCard, check: Check, name: str) -> Loc:
    """Where an argument is given: in the check itself, or in the card's, from which it comes."""
    own = (*check.loc, "with", name)
    given = own if at(drawn.content, own) is not None else ("check", "with", name)
    return loc_as_written(drawn, given)


def failed_run(
    card: Card, check: Check, loc: Loc, outcome: Outcome, generator: Generator
) -> Problem:
    """Why the run itself failed."""
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
    column = (excerpt or "").find(generator.name) + 1
    place = Place(generator.path, generator.line, column)
    if outcome.error is not None:
        first, *rest = outcome.error.splitlines()
        notes = tuple(Note(line.strip()) for line in rest)
        message = f"{said} cannot be checked: {first}"
        return Problem(place, message, excerpt=excerpt, notes=notes)
    notes = tuple(
        Note(f"{m.fact}: expected {m.expected}, observed {m.observed}") for m in outcome.mismatches
    )
    message = f"{said} is not what its mark says"
    return Problem(place, message, excerpt=excerpt, notes=notes)
