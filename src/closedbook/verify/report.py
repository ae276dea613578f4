"""What a run of verify found: the mistakes, what was looked at, and what was let pass."""

from __future__ import annotations

from dataclasses import dataclass, field

from closedbook.model.origin import Origin
from closedbook.problem import Place, Problem


@dataclass(frozen=True, slots=True)
class Passed:
    """A claim that was not checked, and why: exempted by its author, or outside its versions."""

    card: str
    place: Place
    reason: str


@dataclass(frozen=True, slots=True)
class Sampled:
    """A card whose space of draws was too large to walk: ``taken`` of ``size`` were verified.

    ``size`` is an upper bound where not ``exact``: a ``where`` lets an unknown part of it in.
    """

    card: str
    taken: int
    size: int
    exact: bool = True


@dataclass(frozen=True, slots=True)
class CardResult:
    """One card's part of the run. ``seconds`` is what its checks took where they ran.

    ``waits_for`` is the place of a generator that must be mended before the card can be checked.
    """

    id: str
    unit: str
    origin: Origin
    claims: int
    draws: int
    seconds: float
    failed: bool
    waits_for: Place | None = None

    @property
    def place(self) -> Place:
        """Where the card stands; looked up only now."""
        return self.origin.place()


@dataclass(slots=True)
class Report:
    """A run of verify.

    ``checks`` counts a check once for each draw that it was made for; ``ran`` and ``receipts``
    say how many different ones were run and how many were known from before. ``seconds`` is the
    time on the clock. ``notes`` are for the reader alone: they change no verdict.
    """

    problems: list[Problem] = field(default_factory=list)
    cards: int = 0
    claims: int = 0
    checks: int = 0
    draws: int = 0
    references: int = 0
    exempted: list[Passed] = field(default_factory=list)
    outside: list[Passed] = field(default_factory=list)
    walked: int = 0
    sampled: list[Sampled] = field(default_factory=list)
    ran: int = 0
    receipts: int = 0
    results: list[CardResult] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    torch: str = ""
    seconds: float = 0.0

    @property
    def exemptions(self) -> int:
        """How many claims say ``unchecked``."""
        return len(self.exempted)

    @property
    def skipped(self) -> int:
        """How many claims do not hold for this version of torch, by their own word."""
        return len(self.outside)

    @property
    def failed(self) -> bool:
        """Whether anything is wrong; a warning is not."""
        return any(problem.severity == "error" for problem in self.problems)
