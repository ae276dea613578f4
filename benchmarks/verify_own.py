"""This repository's own bank from scratch against a plain loop over its runs.

So that it has 10,000 checks, the ranges that its cards draw from reach further than they do in the
bank itself; every card holds there too.

Must hold: at most 1.3 times the loop, past the import of torch. The verify reads the YAML, draws
the cards, reads every text against the rules, runs the checks and writes receipts. The loop calls
the same Functions and experiments with the same inputs: forward, backward, and gradcheck where a
check asks for it; it compares nothing. It calls each for every check; a second loop, which knows
which checks share a run, calls each run once.

Both run in one process, torch imported, and take turns; the processor's time counts, that of
processes which they start included, so that others on the machine do not stretch it. Beside it
stands the clock's time in processes, as `cards verify` runs.

    python benchmarks/verify_own.py [FURTHER]

FURTHER is how far each range reaches beyond its end: 3 where it is not given, 0 for the bank as it
is.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from closedbook.source import load_bank
from closedbook.source.draws import space_of
from closedbook.source.realise import realise
from closedbook.verify import Options, verify_bank
from closedbook.verify.job import Job
from closedbook.verify.plan import Planner
from closedbook.verify.run.binding import bind
from closedbook.verify.run.function.signature import plan_of
from closedbook.verify.run.inputs import build
from closedbook.verify.run.loading import Definition, Generators, generators_of
from closedbook.verify.select import draws_of

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 1.3
ROUNDS = 3
FURTHER = 3
DRAWS = 2000
GRADCHECKS = {"gradcheck": torch.autograd.gradcheck, "gradgradcheck": torch.autograd.gradgradcheck}


_RANGE = re.compile(r"^(    \w+: \d+\.\.)(\d+)$", re.MULTILINE)
"""A line under ``vary``, with its end apart."""


def copy_bank(folder: Path, further: int) -> Path:
    """A copy of the bank, whose cards draw from ranges that reach ``further``."""
    shutil.copytree(ROOT / "generators", folder / "generators")
    shutil.copytree(ROOT / "cards", folder / "cards")
    for file in (folder / "cards").rglob("*.yaml"):
        text = _RANGE.sub(lambda line: f"{line[1]}{int(line[2]) + further}", file.read_text())
        file.write_text(text)
    return folder


def spent() -> float:
    """Seconds of the processor, in this process and in those that it started and that ended."""
    return sum(os.times()[:4])


def checks(root: Path) -> tuple[list[Job], Generators]:
    """Every check of the bank, one for each draw of its card, and what they run."""
    bank, _ = load_bank(root)
    assert bank is not None
    planner = Planner(bank)
    jobs: dict[str, Job] = {}
    for card in bank.cards:
        space, _ = space_of(card)
        assert space is not None
        for draw in draws_of(space, DRAWS).stream():
            drawn, _ = realise(card, draw, bank.generators)
            assert drawn is not None
            for request in planner.requests(drawn):
                jobs.setdefault(request.job.key, request.job)
    return list(jobs.values()), generators_of(planner.setup)


def runs(jobs: Iterable[Job]) -> list[Job]:
    """The jobs with those that share a run made one."""
    shared: dict[tuple[str, str], Job] = {}
    for job in jobs:
        key = job.run, repr(job.arguments)
        other = shared.get(key)
        shared[key] = (
            job if other is None else replace(other, expect={**other.expect, **job.expect})
        )
    return list(shared.values())


def call(definition: Definition, job: Job) -> None:
    """One Function forward and backward, and its gradchecks, as anybody would write it."""
    plan = plan_of(definition)
    given = {name: build(name, value) for name, value in job.arguments.items()}
    arguments: list[Any] = [given.get(name, plan.defaults.get(name)) for name in plan.names]
    while arguments and plan.names[len(arguments) - 1] not in given:
        arguments.pop()
    for name, check in GRADCHECKS.items():
        if name in job.expect:
            check(definition.value.apply, tuple(arguments), raise_exception=False)
    output = definition.value.apply(*arguments)
    outputs = output if isinstance(output, tuple) else (output,)
    outputs = [one for one in outputs if isinstance(one, torch.Tensor) and one.requires_grad]
    inputs = [one for one in arguments if isinstance(one, torch.Tensor) and one.requires_grad]
    if outputs and inputs:
        ones = [torch.ones_like(one) for one in outputs]
        torch.autograd.grad(outputs, inputs, ones, allow_unused=True)


def loop(jobs: Iterable[Job], generators: Generators, clock: Callable[[], float] = spent) -> float:
    """What it costs to call everything, errors that cards are about among it."""
    started = clock()
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        for job in jobs:
            definition = generators.get(job.run)
            assert isinstance(definition, Definition)
            with contextlib.suppress(Exception):  # many a card shows what raises
                if definition.mark.role == "experiment":
                    definition.value(**bind(definition, job.arguments, generators))
                else:
                    call(definition, job)
    return clock() - started


def verify(root: Path, clock: Callable[[], float] = spent, jobs: int | None = 0) -> float:
    """What a verify of the bank costs, its reading included."""
    started = clock()
    bank, _ = load_bank(root, drawn=False)
    assert bank is not None
    verified, report = verify_bank(bank, options=Options(jobs=jobs, fresh=True))
    assert verified is not None, report.problems
    return clock() - started


def main() -> None:
    """Print the ratios and whether the bound holds."""
    torch.set_num_threads(1)
    further = int(sys.argv[1]) if len(sys.argv) > 1 else FURTHER
    with tempfile.TemporaryDirectory() as folder:
        root = copy_bank(Path(folder), further)
        jobs, generators = checks(root)
        shared = runs(jobs)
        for processes in (0, None):  # imports torch, here and in the processes' server
            verify(root, jobs=processes)
        turns = [
            (verify(root), loop(jobs, generators), loop(shared, generators)) for _ in range(ROUNDS)
        ]
        clocks = [
            (verify(root, time.perf_counter, None), loop(jobs, generators, time.perf_counter))
            for _ in range(ROUNDS)
        ]
    ours, each, once = map(min, zip(*turns, strict=True))
    many, alone = map(min, zip(*clocks, strict=True))
    print(f"{len(jobs):,} checks in {len(shared):,} runs")
    print("in one process, by the processor's time")
    print(f"  verify                     {ours:6.2f} s")
    print(f"  loop over the checks       {each:6.2f} s  {judged(ours / each)}")
    print(f"  loop over the shared runs  {once:6.2f} s  {ours / once:.2f} x")
    print("in processes, by the clock")
    print(f"  verify                     {many:6.2f} s")
    print(f"  loop over the checks       {alone:6.2f} s  {judged(many / alone)}")


def judged(ratio: float) -> str:
    """A ratio, and whether it keeps to the limit."""
    return f"{ratio:.2f} x (at most {LIMIT}): {'holds' if ratio <= LIMIT else 'DOES NOT HOLD'}"


if __name__ == "__main__":
    main()
