"""Run jobs one group after the other: those with the same run and arguments share it."""

from __future__ import annotations

import contextvars
import decimal
import itertools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from closedbook.verify.job import SLACK, Job, Mismatch, Outcome, Setup
from closedbook.verify.run.care import Care
from closedbook.verify.run.compare import show
from closedbook.verify.run.contracts import Findings, check_flawed, check_reference
from closedbook.verify.run.expectation import judge
from closedbook.verify.run.experiment import ExperimentRun
from closedbook.verify.run.facts import NoSuchFactError, NotReachedError, Raised
from closedbook.verify.run.function.run import FunctionRun
from closedbook.verify.run.function.signature import plan_of
from closedbook.verify.run.inputs import BadArgumentError
from closedbook.verify.run.limit import (
    LATE,
    MOST_HANGS,
    Limits,
    TimeUpError,
    from_outside,
    not_run_again,
)
from closedbook.verify.run.loading import (
    BrokenGeneratorError,
    Definition,
    Failure,
    Generators,
    failure_of,
    generators_of,
    shortened,
)
from closedbook.verify.verified import Fact

Run = FunctionRun | ExperimentRun
Indexed = tuple[int, Job]


def run_jobs(
    setup: Setup,
    jobs: Sequence[Job],
    *,
    begins: Callable[[int], None] | None = None,
    spoilt: Callable[[], None] | None = None,
) -> Iterator[tuple[int, Outcome]]:
    """Yield each job's index and outcome as it finishes. Runs on the main thread only.

    ``begins`` is told the index of each job before it runs. ``spoilt`` is called when a run has
    changed what cannot be put back, and may end the process: the other jobs need another.
    """
    generators = generators_of(setup)
    with Limits(own_process=setup.own_process) as limits, Care() as care:
        care.turn()
        for _, groups in itertools.groupby(_groups(jobs), key=_run):
            for group in groups:
                runner = _Group(group, setup, generators, limits, care)
                for index, job in group:
                    if begins is not None:
                        begins(index)
                    yield index, contextvars.copy_context().run(_outcome, runner, job)
                if care.spoilt and spoilt is not None:
                    spoilt()
            care.turn()
            if care.spoilt and spoilt is not None:
                spoilt()


def _run(group: list[Indexed]) -> str:
    """What the jobs of a group run."""
    return group[0][1].run


def _groups(jobs: Sequence[Job]) -> list[list[Indexed]]:
    """The jobs that can share a run, by what they run and in the order of their first."""
    groups: dict[Any, list[Indexed]] = {}
    for index, job in enumerate(jobs):
        common = job.kind, job.run, job.timeout
        key: Any = (*common, *job.arguments.items())
        try:
            held = groups.setdefault(key, [])
        except TypeError:
            held = groups.setdefault((*common, repr(job.arguments)), [])
        held.append((index, job))
    # Runs of one definition stand together: between others there is more to look after.
    runs = {run: place for place, run in reversed(list(enumerate(map(_run, groups.values()))))}
    return sorted(groups.values(), key=lambda group: runs[_run(group)])


class _Group:
    """The jobs of one run, and the run."""

    def __init__(
        self,
        group: list[Indexed],
        setup: Setup,
        generators: Generators,
        limits: Limits,
        care: Care,
    ) -> None:
        self.jobs = [job for _, job in group]
        self.setup = setup
        self.generators = generators
        self.limits = limits
        self.care = care
        self.run: Run | None = None
        self.stopped: Failure | None = None
        self.apart: dict[int, Outcome] = {}

    def outcome(self, job: Job) -> Outcome:
        """Run one job and return what it found; nothing is raised for what a bank does."""
        started = time.perf_counter()
        if self.stopped is not None:
            return _failed(job, self.stopped, started)
        if self.generators.hung[job.run] >= MOST_HANGS:
            return _failed(job, Failure(not_run_again(job.run)), started)
        try:
            outcome = self._limited(job, started)
        except TimeUpError as error:
            self.limits.stop()
            self.generators.hung[job.run] += 1
            self.stopped = self.generators.unloaded(job.run) or self._too_long(job, error)
            return _failed(job, self.stopped, started)
        except BaseException as error:  # a bank may raise anything
            at = failure_of(error, self.generators.root)
            if from_outside(error) or at.place is None:
                raise
            self.stopped = at  # code of the bank that the engine came upon, such as a __str__
            return _failed(job, at, started)
        return self._apart(job) if outcome is None else outcome

    def _too_long(self, job: Job, error: TimeUpError) -> Failure:
        at = failure_of(error, self.generators.root)
        frames = at.text.partition("\n")[2]
        text = f"{LATE} {job.timeout:g} s and was ended"
        return Failure(f"{text}\n{frames}".rstrip(), at.place)

    def _limited(self, job: Job, started: float) -> Outcome | None:
        """The outcome, or TimeUpError, which may also come at the very end, after the last line."""
        self.limits.start(job.timeout)
        try:
            return self._outcome(job, started)
        finally:
            self.limits.stop()

    def _outcome(self, job: Job, started: float) -> Outcome | None:
        """The outcome; None for what is to run in a process of its own."""
        definition = self.generators.get(job.run)
        if isinstance(definition, Failure):
            return _failed(job, definition, started)
        if definition.mark.isolated and job.kind == "check" and not self.setup.alone:
            return None
        try:
            if job.kind != "check":
                return self._contract(job, definition, started)
            if self.run is None:
                self.run = self._open(job, definition)
            return self._judged(job, self.run, started)
        except BrokenGeneratorError as problem:
            return _failed(job, problem.failure, started)
        except BadArgumentError as problem:
            failure = Failure(str(problem), definition.place)
            return _failed(job, failure, started, argument=problem.argument)

    def _apart(self, job: Job) -> Outcome:
        """The outcome from a process of its own, which all jobs of this run share."""
        if not self.apart:
            from closedbook.verify.workers.isolate import run_alone

            self.limits.outside(sum(other.timeout + SLACK for other in self.jobs))
            found = run_alone(self.setup, self.jobs)
            self.apart = {
                id(other): outcome for other, outcome in zip(self.jobs, found, strict=True)
            }
        return self.apart[id(job)]

    def _contract(self, job: Job, definition: Definition, started: float) -> Outcome:
        check = _CONTRACTS[job.kind]
        facts, mismatches = check(definition, self.care, self.generators)
        return Outcome(
            key=job.key,
            holds=not mismatches,
            facts=facts,
            mismatches=tuple(mismatches),
            seconds=_since(started),
        )

    def _open(self, job: Job, definition: Definition) -> Run:
        if definition.mark.role == "experiment":
            return ExperimentRun(definition, job.arguments, self.care, self.generators)
        observed = any(
            name.startswith("returned")
            for other in self.jobs
            for name in (other.quote or "", *other.expect)
        )
        plan = plan_of(definition)
        return FunctionRun(plan, job.arguments, self.care, self.generators.root, observed=observed)

    def _judged(self, job: Job, run: Run, started: float) -> Outcome:
        if not job.expect:
            run.raised()
        facts, mismatches = judge(job.expect, run)
        quote, missing = _quoted(job, run)
        if missing is not None:
            mismatches.append(missing)
        failed = None if "raises" in job.expect else run.failed()
        if failed is None:
            return Outcome(
                key=job.key,
                holds=not mismatches,
                facts=facts,
                mismatches=tuple(mismatches),
                quote=quote,
                seconds=_since(started),
            )
        failure = failed.failure if isinstance(failed, Raised) else failed
        text = failure.text
        if isinstance(run, ExperimentRun) and run.printed.strip():
            last = map(shortened, run.printed.strip().splitlines()[-5:])
            text += "\n  printed: " + "\n           ".join(last)
        return Outcome(
            key=job.key,
            holds=False,
            facts=facts,
            mismatches=tuple(m for m in mismatches if not m.observed.startswith("not reached")),
            error=text,
            quote=quote,
            seconds=_since(started),
            place=failure.place,
            broken=failure.broken,
        )


def _outcome(runner: _Group, job: Job) -> Outcome:
    """The outcome, in a context of its own: decimals and numpy keep their settings there."""
    decimal.setcontext(_DECIMALS.copy())
    return runner.outcome(job)


_DECIMALS = decimal.Context()


def _quoted(job: Job, run: Run) -> tuple[str | None, Mismatch | None]:
    """The text that the claim quotes, or why there is none."""
    if job.quote is None:
        return None, None
    try:
        fact: Fact = run.fact(job.quote)
    except NoSuchFactError as problem:
        return None, _unquotable(job.quote, str(problem))
    except NotReachedError as problem:
        return None, _unquotable(job.quote, f"not reached: {problem}")
    if isinstance(fact, list) and fact and all(isinstance(item, str) for item in fact):
        return "\n".join(str(item) for item in fact), None
    if not isinstance(fact, str):
        return None, _unquotable(job.quote, f"it is {show(fact)}, and no text")
    return (fact, None) if fact else (None, _unquotable(job.quote, "it is an empty text"))


def _unquotable(fact: str, why: str) -> Mismatch:
    return Mismatch(fact, "a text to quote", why, kind="unquotable")


def _reference(definition: Definition, care: Care, generators: Generators) -> Findings:
    return check_reference(definition, plan_of(definition), care, generators)


_CONTRACTS: dict[str, Callable[[Definition, Care, Generators], Findings]] = {
    "reference": _reference,
    "flawed": check_flawed,
}


def _failed(job: Job, failure: Failure, started: float, *, argument: str | None = None) -> Outcome:
    return Outcome(
        key=job.key,
        holds=False,
        error=failure.text,
        seconds=_since(started),
        place=failure.place,
        argument=argument,
        broken=failure.broken,
    )


def _since(started: float) -> float:
    return time.perf_counter() - started
