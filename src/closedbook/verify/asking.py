"""What a run asks: each card drawn and read against the rules, each of its checks as a job."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from closedbook.model.bank import Bank, Card, Draw, DrawnCard
from closedbook.model.claim import Check, Claim
from closedbook.problem import Problem
from closedbook.source.draws import space_of
from closedbook.source.realise import realise
from closedbook.verify.environment import torch_version
from closedbook.verify.findings import Findings
from closedbook.verify.job import Job
from closedbook.verify.options import Options
from closedbook.verify.plan import Planner, Request, applies
from closedbook.verify.report import Passed, Report, Sampled
from closedbook.verify.rules import check_card
from closedbook.verify.select import Draws, Part, chosen, draws_of, shard

Progress = Callable[[int, int], None]
"""Called with how many draws are done, and of how many."""

Reader = Callable[[DrawnCard], Iterable[Problem]]
"""Reads a drawn card for mistakes of another kind, such as texts that cannot be shown."""


@dataclass(slots=True)
class Entry:
    """What a run knows of one card so far."""

    card: Card
    draws: Draws
    claims: int = 0
    taken: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class Waiting:
    """A claim whose job is under way."""

    entry: Entry
    drawn: DrawnCard
    number: int
    claim: Claim


Asked = tuple[Waiting, Request]

_QUICK, _GRADCHECK, _ISOLATED = 4.0, 20.0, 1000.0
"""What a check weighs: one of shapes and values; one with gradcheck, five times that; one in a
process of its own, for whose start 250 of them could run."""


class Asking:
    """The cards that ``options`` choose. What reading them brings up gathers in ``findings``.

    ``report`` is given the counts of what was asked, and of what was let pass.
    """

    def __init__(
        self,
        bank: Bank,
        options: Options,
        planner: Planner,
        report: Report,
        *,
        progress: Progress | None,
        reads: Reader | None,
    ) -> None:
        self.report = report
        self.findings = Findings()
        self.entries: dict[str, Entry] = {}
        self._bank = bank
        self._options = options
        self._planner = planner
        self._progress = progress
        self._reads = reads
        self._total = 0

    def requests(self) -> Iterator[Asked]:
        """Every check of every draw; a card is drawn, and read, when it is come to."""
        parts = self._parts()
        self._total = sum(part.stop - part.start for part in parts)
        yield from self._requests(parts)

    def _parts(self) -> list[Part]:
        parts = []
        for card in chosen(self._bank, self._options):
            space, problems = space_of(card)
            self.findings.problems_of(card, {}, 0, problems)
            if space is not None:
                draws = draws_of(space, self._options.draws)
                parts.append(Part(card, draws, 0, len(draws)))
        if self._options.shard:
            parts = shard(parts, self._options.shard, self._cost)
        for part in parts:
            self.entries[part.card.id] = Entry(part.card, part.draws)
            if not part.draws.walked:
                draws = part.draws
                sampled = Sampled(part.card.id, len(draws), draws.size, draws.exact)
                self.report.sampled.append(sampled)
            elif part.card.content.vary:
                self.report.walked += 1
        return parts

    def _cost(self, part: Part) -> float:
        """What a part costs, told from its first draw alone, the same on every machine."""
        first = next(part.draws.stream(), None)
        drawn = realise(part.card, first, self._bank.generators)[0] if first is not None else None
        checks = [claim.check for claim in drawn.claims if claim.check] if drawn else []
        return len(part.draws) * (1.0 + sum(map(self.weight, checks)))

    def weight(self, check: Check | Job) -> float:
        """About how long a check takes, beside drawing and reading its card, which weighs 1."""
        generator = self._bank.generators.get(check.run)
        if generator is not None and generator.mark.get("isolated") == "True":
            return _ISOLATED
        return _GRADCHECK if "gradcheck" in "".join(check.expect) else _QUICK

    def _requests(self, parts: list[Part]) -> Iterator[Asked]:
        done = 0
        for part in parts:
            entry = self.entries[part.card.id]
            for number, draw in part.stream():
                drawn = self._drawn(entry, draw, number)
                if drawn is not None:
                    for request in self._planner.requests(drawn):
                        self.report.checks += 1
                        yield Waiting(entry, drawn, number, request.claim), request
                done += 1
                if self._progress is not None:
                    self._progress(done, self._total)

    def _drawn(self, entry: Entry, draw: Draw, number: int) -> DrawnCard | None:
        """One draw of a card, read against the rules; None where it cannot be made out."""
        drawn, problems = realise(entry.card, draw, self._bank.generators)
        # A note of its own says under which draw, where that matters.
        self.findings.problems_of(entry.card, draw, number, problems, named=False)
        entry.taken += 1
        if drawn is None:
            return None
        self.findings.read(drawn, number, check_card(drawn, self._bank.generators))
        if self._reads:
            self.findings.problems_of(entry.card, draw, number, self._reads(drawn))
        if entry.taken == 1:
            self._count(entry, drawn)
        return drawn

    def _count(self, entry: Entry, drawn: DrawnCard) -> None:
        """Count a card's claims, and those of them that are let pass: the same in every draw."""
        entry.claims = len(drawn.claims)
        for claim in drawn.claims:
            if claim.unchecked:
                place = drawn.card.origin.place(claim.loc)
                self.report.exempted.append(Passed(drawn.card.id, place, claim.unchecked))
            elif claim.versions is not None and not applies(claim):
                place = drawn.card.origin.place(claim.loc)
                reason = f"holds for torch {claim.versions}, and this is {torch_version()}"
                self.report.outside.append(Passed(drawn.card.id, place, reason))
