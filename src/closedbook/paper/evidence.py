"""What was observed, in words that fit on a key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from closedbook.model.claim import Claim
from closedbook.model.expect import Formula
from closedbook.problem import Place
from closedbook.verify.verified import Evidence

MAX_FACT = 120


@dataclass(frozen=True, slots=True)
class Observed:
    """A fact as a key prints it: ``grad is [1, 2]``, ``grad equals grad_output.sum(0)``."""

    name: str
    text: str
    formula: bool = False
    """Whether ``text`` is what the fact was equal to over several draws, and no value."""

    @property
    def sign(self) -> str:
        """What stands between the two: an arrow before a value."""
        return "=" if self.formula else "→"


@dataclass(frozen=True, slots=True)
class Ran:
    """One run, with all that was observed of it; see :class:`~closedbook.verify.Evidence`."""

    run: str
    facts: tuple[Observed, ...]
    place: Place
    torch: str


def fact_lines(evidence: Evidence) -> tuple[tuple[str, str], ...]:
    """Each observed fact's name and its value in words, cut where it is too long to read."""
    return tuple((name, _shortened(text)) for name, text in evidence.words.items())


def _shortened(text: str) -> str:
    return text if len(text) <= MAX_FACT else f"{text[: MAX_FACT - 1]}…"


def ran(claim: Claim, evidence: Evidence | None) -> Ran | None:
    """What a key prints of a claim's check; the formula of a fact that was held against one."""
    if evidence is None:
        return None
    expect = claim.check.expect if claim.check else {}
    facts = []
    for name, text in fact_lines(evidence):
        wanted = expect.get(name)
        if isinstance(wanted, Formula):
            facts.append(Observed(name, wanted.expression, formula=True))
        else:
            facts.append(Observed(name, text))
    return Ran(evidence.run, tuple(facts), evidence.place, evidence.torch)


def once(found: Iterable[Ran | None]) -> tuple[Ran, ...]:
    """Each run once, in order, with the facts of all its claims together."""
    runs: dict[tuple[str, str], Ran] = {}
    for one in found:
        if one is None:
            continue
        key = (one.run, one.torch)
        if key in runs:
            facts = {fact.name: fact for fact in (*runs[key].facts, *one.facts)}
            runs[key] = replace(one, facts=tuple(facts.values()))
        else:
            runs[key] = one
    return tuple(runs.values())
