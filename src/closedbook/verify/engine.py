"""A bank in, a verified bank or its mistakes out."""

from __future__ import annotations

import contextlib
import gc
import itertools
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from closedbook.model.bank import Bank
from closedbook.problem import has_errors
from closedbook.source.crosscheck import first_draw
from closedbook.verify.asking import Asked, Asking, Progress, Reader, Waiting
from closedbook.verify.broken import BrokenGenerators
from closedbook.verify.environment import torch_version
from closedbook.verify.evidence import verified_bank
from closedbook.verify.failures import contract_problem
from closedbook.verify.job import Job, Outcome, Setup
from closedbook.verify.options import Options
from closedbook.verify.plan import Planner
from closedbook.verify.receipts.of_run import RunReceipts
from closedbook.verify.report import CardResult, Report
from closedbook.verify.select import chosen
from closedbook.verify.verified import VerifiedBank
from closedbook.verify.workers.backends import Backend, Processes, open_backend, run_chunks

_FIRST_CHUNK = 16
"""What the jobs of the first chunk weigh (:meth:`Asking.weight`): four, so that they start soon."""
_CHUNK = 1024
"""What those of later ones weigh at most: 256 quick jobs, or 50 gradchecks."""
_LOOKAHEAD = 256
"""Checks whose receipts are looked up at once: in half the time that they take one by one."""
_HELD = 4096
"""Claims that may wait for checks under way: each keeps its drawn card, some 7 kB, in memory."""
_AHEAD = 8192
"""Claims that may be read before anything can run, while torch is imported: some 60 MB."""
_SOME = 64
"""Claims that are read between two looks at whether the first worker is there: in some 40 ms."""
_MORE = 1024
"""Claims that are read between two looks at what has come of the references: in under a second."""
_ALLOCATIONS = 20_000
"""Objects made between two collections of the youngest."""


def verify_bank(
    bank: Bank,
    *,
    options: Options | None = None,
    progress: Progress | None = None,
    reads: Reader | None = None,
) -> tuple[VerifiedBank | None, Report]:
    """Run every check of ``bank`` that no receipt answers, and read its texts against the rules.

    ``reads`` looks at each drawn card beside the rules; what it finds joins the report. The
    verified bank holds the cards that ``options`` choose; it is None where anything is
    wrong. An author's mistake is a problem of the report, never an exception. Raises ValueError
    for an executor's address that nothing answers to, and OSError where its cluster is away.
    """
    started = time.perf_counter()
    run = _Run(bank, options or Options(), progress, reads)
    try:
        with _bank_at_rest():
            verified = run.go()
    finally:
        run.report.seconds = time.perf_counter() - started
    return verified, run.report


@contextlib.contextmanager
def _bank_at_rest() -> Iterator[None]:
    """Keep the collector from walking through the whole bank again and again: it stays anyway.

    What a run makes beside it is gone without a collection, all but a little: so it looks rarely.
    """
    ours, threshold = not gc.get_freeze_count(), gc.get_threshold()
    if ours:
        gc.freeze()
    gc.set_threshold(max(threshold[0], _ALLOCATIONS) if threshold[0] else 0, *threshold[1:])
    try:
        yield
    finally:
        gc.set_threshold(*threshold)
        if ours:
            gc.unfreeze()


@dataclass(slots=True)
class _Run:
    bank: Bank
    options: Options
    progress: Progress | None
    reads: Reader | None = None
    report: Report = field(default_factory=Report)
    waiting: dict[str, list[Waiting]] = field(default_factory=dict)
    planner: Planner = field(init=False)
    ledger: RunReceipts = field(init=False)
    asking: Asking = field(init=False)
    requests: Iterator[Asked] = field(init=False)
    ahead: deque[Asked] = field(default_factory=deque)
    """What was drawn and read while nothing could run yet."""
    cold: bool = True
    """Whether nothing was sent to run yet."""
    asked: set[int] = field(default_factory=set)
    """The different checks so far, by the hash of their key: there may be millions."""
    broken: BrokenGenerators = field(default_factory=BrokenGenerators)
    due: int = 0
    held: int = 0

    def go(self) -> VerifiedBank | None:
        self.report.torch = torch_version()
        if self.bank.doubtful:
            self.report.notes.append("no check was run: generators/ comes first")
            return None
        self.planner = Planner(self.bank)
        self.ledger = RunReceipts(self.bank, self.options)
        backend = open_backend(self.options.jobs, self.options.executor)
        finished = False
        try:
            self.asking = self._ask()
            self.requests = self.asking.requests()
            if self._contracts_hold(backend):
                self._cards(backend)
            else:
                self._forget_cards()
            finished = True
        finally:
            backend.close(now=not finished)
            self.ledger.finish()
            self.report.notes += self.ledger.notes()
        return self._conclude()

    def _ask(self) -> Asking:
        return Asking(
            self.bank,
            self.options,
            self.planner,
            self.report,
            progress=self.progress,
            reads=self.reads,
        )

    def _contracts_hold(self, backend: Backend) -> bool:
        """Check the marked Functions themselves; cards are not looked at where one fails."""
        jobs = {job.key: job for job in self.planner.contracts()}
        self.report.references = sum(job.kind == "reference" for job in jobs.values())
        known = self.ledger.get(list(jobs))
        missing = [job for key, job in jobs.items() if key not in known]
        self.report.receipts += len(known)
        self.due = len(missing)
        for outcomes in run_chunks(backend, self.planner.setup, self._contracts(missing, backend)):
            self.due -= len(outcomes)
            self._take(outcomes)
            for outcome in outcomes:
                if not outcome.holds:
                    self._contract_fails(jobs[outcome.key], outcome)
        return not self.report.failed and not self.broken

    def _contracts(self, missing: list[Job], backend: Backend) -> Iterator[list[Job]]:
        if missing:
            self._warm_up(backend)
        yield from _halves(missing, backend.width)
        yield from self._read_ahead(lambda: self.due > 0)

    def _take(self, outcomes: list[Outcome]) -> None:
        self.ledger.put(outcomes)
        self.report.ran += len(outcomes)

    def _warm_up(self, backend: Backend) -> None:
        """Draw and read cards while the first worker starts, which waits for torch's import."""
        self.cold = False
        if not isinstance(backend, Processes):
            return
        starting = threading.Thread(target=_start, args=(backend, self.planner.setup), daemon=True)
        starting.start()
        while starting.is_alive() and len(self.ahead) < _AHEAD:
            if not (more := list(itertools.islice(self.requests, _SOME))):
                break
            self.ahead += more
        starting.join()

    def _read_ahead(self, waits: Callable[[], bool]) -> Iterator[list[Job]]:
        """Draw and read cards while what must come before them runs."""
        while waits() and len(self.ahead) < _AHEAD:
            if not (more := list(itertools.islice(self.requests, _MORE))):
                break
            self.ahead += more
            yield []

    def _forget_cards(self) -> None:
        """Say nothing of cards but what needs no run: the references come first."""
        report = self.report
        report.notes.append("no card was looked at: the references come first")
        report.checks = report.walked = 0
        report.sampled, report.exempted, report.outside = [], [], []
        self.asking = self._ask()
        for card in chosen(self.bank, self.options):
            report.problems += first_draw(self.bank, card)

    def _contract_fails(self, job: Job, outcome: Outcome) -> None:
        generator = self.bank.generators[job.run]
        if outcome.broken:
            self.broken.add(outcome, generator)
            return
        self.report.problems.append(
            contract_problem(generator, outcome, self.ledger.source_line(generator.place))
        )

    def _cards(self, backend: Backend) -> None:
        for outcomes in run_chunks(backend, self.planner.setup, self._chunks(backend)):
            self._take(outcomes)
            for outcome in outcomes:
                settled = self.waiting.pop(outcome.key, ())
                self.held -= len(settled)
                for waiting in settled:
                    waiting.entry.seconds += outcome.seconds
                    self._settle(waiting, outcome)

    def _next_requests(self) -> list[Asked]:
        """Some more of them, first what was read ahead."""
        ready = min(len(self.ahead), _LOOKAHEAD)
        batch = [self.ahead.popleft() for _ in range(ready)]
        return batch or list(itertools.islice(self.requests, _LOOKAHEAD))

    def _chunks(self, backend: Backend) -> Iterator[list[Job]]:
        """Jobs that no receipt answers, in chunks that grow: the first start at once."""
        size, cost, chunk = _FIRST_CHUNK, 0.0, list[Job]()
        while batch := self._next_requests():
            # Claims that wait for a check under way keep their cards in memory: not too many.
            yield []
            while self.held > _HELD:
                yield chunk
                cost, chunk = 0.0, []
            for job in self._unanswered(batch):
                chunk.append(job)
                cost += self.asking.weight(job)
                if cost >= size:
                    if self.cold:
                        self._warm_up(backend)
                    yield chunk
                    size, cost, chunk = min(size * 2, _CHUNK), 0.0, []
        if chunk:
            yield chunk

    def _unanswered(self, batch: list[Asked]) -> Iterator[Job]:
        known = self.ledger.get(list({request.job.key for _, request in batch}))
        for waiting, request in batch:
            key = request.job.key
            if not self.options.fresh:  # then all that is known was run by this very run
                # What is known when it is first asked for was not.
                self.report.receipts += key in known and hash(key) not in self.asked
                self.asked.add(hash(key))
            if key in known:
                self._settle(waiting, known[key])
                continue
            self.held += 1
            if key in self.waiting:
                self.waiting[key].append(waiting)
            else:
                self.waiting[key] = [waiting]
                yield request.job

    def _settle(self, waiting: Waiting, outcome: Outcome) -> None:
        check = waiting.claim.check
        if outcome.holds or check is None:
            return
        generator = self.bank.generators[check.run]
        if outcome.broken:
            self.broken.add(outcome, generator, waiting.entry.card.id)
        else:
            self.asking.findings.outcome(
                waiting.drawn, waiting.number, waiting.claim, outcome, generator
            )

    def _conclude(self) -> VerifiedBank | None:
        report = self.report
        report.problems += self.broken.problems(self.ledger.source_line)
        report.problems += self.asking.findings.problems()
        failed = {p.card for p in report.problems if p.severity == "error"}
        waiting = self.broken.waiting
        report.results += (
            CardResult(
                id=card_id,
                unit=entry.card.unit.id,
                origin=entry.card.origin,
                claims=entry.claims,
                draws=entry.taken,
                seconds=entry.seconds,
                failed=card_id in failed or card_id in waiting,
                waits_for=waiting.get(card_id),
            )
            for card_id, entry in self.asking.entries.items()
        )
        report.cards = len(report.results)
        report.claims = sum(result.claims for result in report.results)
        report.draws = sum(result.draws for result in report.results)
        if has_errors(report.problems):
            return None
        cards = [(entry.card, entry.draws) for entry in self.asking.entries.values()]
        return verified_bank(self.bank, cards, self.planner, self.ledger)


def _start(backend: Backend, setup: Setup) -> None:
    """Have a worker do nothing, which it can do once it is there."""
    with contextlib.suppress(*backend.deaths, OSError, EOFError, RuntimeError):
        backend.submit(setup, [])  # where that fails, so will what comes next, and be told


def _halves(jobs: list[Job], width: int) -> Iterator[list[Job]]:
    """As many chunks as there are workers, so that none is idle."""
    for at in range(min(width, len(jobs))):
        yield jobs[at::width]
