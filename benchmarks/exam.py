"""How much time an exam takes beside Typst itself: ``python benchmarks/exam.py``.

Prints, for 100 variants of a ten-question paper with keys (making out, setting, guarding, reading
both PDFs back, marking sheet and manifest), the time beside that of the bare Typst compiles of
the same sources, by turns in one process: called once a document, and by one compiler that keeps
what it laid out, as the export does it; then the time with more and more jobs, beside the 1.2 s
a variant of R/exams on work of this kind; and the peak memory of runs of growing length.

Seconds pass more slowly on a busy machine: seconds of processor time (all processes') say what
the work costs, and the ratio is that of processor times. ``--variants``, ``--jobs`` and
``--memory`` change the sizes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import typst

sys.path.insert(0, str(Path(__file__).parents[1]))

from closedbook.export.exam import Settings, write_exam
from closedbook.export.exam.data import paper_and_key
from closedbook.export.exam.typeset import Typesetter
from closedbook.paper.make import Maker
from closedbook.paper.plan import Plan, make_plan
from closedbook.render.typst.compiler import DATA, MAIN, TIMESTAMP
from closedbook.verify.verified import VerifiedBank
from tests.paper.banks import read_bank, write_bank

ROUNDS = 2
R_EXAMS = 1.2
"""Seconds a variant that R/exams took for ten questions and their key, measured elsewhere."""

FUNCTION = """\
import torch
from closedbook import reference

@reference(example={"input": (5, 4), "weight": (3, 4)})
class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight):
        return input.mm(weight.t())

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        return grad_output.mm(weight), grad_output.t().mm(input)
"""

VARY = """\
  vary: {n: 2..9, i: 2..9, o: 2..9}
  where: n != i and i != o and n != o
  check:
    run: LinearFunction
    with: {input: "({{ n }}, {{ i }})", weight: "({{ o }}, {{ i }})"}
    expect:
      grad_weight.shape: ({{ o }}, {{ i }})
"""
CHOICE = r"""
- id: choice-AT
  kind: question
  outcome: one
  ask: |
    Layer AT computes `input.mm(weight.t())`, where `input` is ({{ n }}, {{ i }}) and `weight` is
    ({{ o }}, {{ i }}). What shape has the gradient $\partial L/\partial W$?
  options:
    - right: "`({{ o }}, {{ i }})`"
    - wrong: "`({{ i }}, {{ o }})`"
      because: It is stored as (out, in), so its gradient is too.
    - wrong: "`({{ n }}, {{ i }})`"
      because: That is the shape of `grad_input`.
    - wrong: None of these.
      because: One of them is.
      last: true
"""
SHORT = r"""
- id: short-AT
  kind: question
  outcome: one
  ask: |
    With $Y = X W^\top$ and `input` ({{ n }}, {{ i }}), `weight` ({{ o }}, {{ i }}), in layer AT:
    what shape has `grad_weight`, and why?
  answer: "`grad_weight` is ({{ o }}, {{ i }}): it has the shape of `weight`."
  why: A gradient has the shape of what it is the gradient of.
"""
TRAP = """
- id: trap-AT
  kind: trap
  outcome: one
  code: {of: LinearFunction}
  ask: Is anything wrong with it, in layer AT?
  check:
    run: LinearFunction
    with: {input: "(5, 4)", weight: "(3, 4)"}
  claims:
    - say: Its gradients have the shapes of its arguments.
      expect: {grad_input.shape: "(5, 4)"}
  why: It is right.
  fix:
    code: {of: LinearFunction}
    expect: {grad_weight.shape: "(3, 4)"}
"""
BLUEPRINT = """\
title: A paper of ten questions
minutes: 60
variants: VARIANTS
seed: 7
rules: Closed book.
sections:
  - {title: Choices, pick: 6, from: {kind: question, outcome: one}, points: 2}
  - {title: Code, cards: [trap-0, trap-1], points: 6}
  - {title: Short answers, cards: [short-0, short-1], points: 3}
"""


def cards() -> str:
    """Ten cards: six choices and two short answers that vary, two pieces of code."""
    texts = [(CHOICE + VARY).replace("AT", str(at)) for at in range(6)]
    texts += [(SHORT + VARY).replace("AT", str(at)) for at in range(2)]
    texts += [TRAP.replace("AT", str(at)) for at in range(2)]
    return "".join(texts)


def bank(root: Path, variants: int) -> Path:
    """The benchmark's bank in ``root``."""
    return write_bank(
        root,
        {
            "cards/unit/cards.yaml": cards(),
            "generators/functions/linear.py": FUNCTION,
            "exams/ten.yaml": BLUEPRINT.replace("VARIANTS", str(variants)),
        },
    )


def planned(root: Path, seed: int = 7) -> tuple[VerifiedBank, Plan]:
    """The bank and the plan of its exam."""
    verified = read_bank(root)
    plan, problems = make_plan(verified, verified.bank.blueprints[0], seed=seed)
    assert plan is not None, problems
    return verified, plan


@dataclass
class Spent:
    """Seconds by the clock, and of the processors: this process and those that it waited for."""

    clock: float = 0.0
    work: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Adds what passes inside."""
        clock, work = time.perf_counter(), sum(os.times()[:4])
        yield
        self.clock += time.perf_counter() - clock
        self.work += sum(os.times()[:4]) - work

    def line(self, what: str, variants: int) -> str:
        """One line of the report."""
        return (
            f"{what:12} {self.clock:6.2f} s, {self.clock / variants:.3f} a variant; "
            f"processors {self.work:6.2f} s, {self.work / variants:.3f} a variant"
        )


def write(root: Path, out: Path, spent: Spent, seed: int = 7, jobs: int = 1) -> None:
    """Write the exam, the bank read and the plan made already."""
    verified, plan = planned(root, seed)
    with spent.running():
        files, problems = write_exam(verified, plan, out, jobs=jobs)
    assert files, problems


def sources_of(root: Path, seed: int) -> list[str]:
    """The data of every paper and key, in the order in which they are set."""
    verified, plan = planned(root, seed)
    maker = Maker(verified, plan)
    sources = []
    for index in range(len(plan.variants)):
        pair = paper_and_key(maker.variant(index), Settings())
        sources += [json.dumps(data, ensure_ascii=False) for data in pair]
    return sources


def bare(root: Path, spent: Spent, seed: int) -> None:
    """Typst alone, called once a document."""
    sources = sources_of(root, seed)
    with spent.running(), Typesetter(root) as setter:
        for source in sources:
            (setter.folder / DATA).write_text(source, encoding="utf-8")
            typst.compile(
                str(setter.folder / MAIN),
                root=str(setter.folder),
                ignore_system_fonts=True,
                pdf_standards=["ua-1"],
                timestamp=TIMESTAMP,
            )


def warm(root: Path, spent: Spent, seed: int) -> None:
    """Typst alone, the way that the export calls it: one compiler, which keeps what it laid out."""
    sources = sources_of(root, seed)
    with spent.running(), Typesetter(root) as setter:
        for source in sources:
            setter.pdf(source)


def peak(variants: int) -> float:
    """Peak resident memory in MB of a process of its own that writes so many variants."""
    done = subprocess.run(
        [sys.executable, __file__, "--once", str(variants)],
        check=True,
        capture_output=True,
        text=True,
        timeout=3600,
    )
    return float(done.stdout)


def once(folder: Path, variants: int) -> None:
    """Write so many variants, and print this process's peak memory."""
    write(bank(folder / "bank", variants), folder / "out" / "ten", Spent())
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def beside_typst(root: Path, out: Path, variants: int) -> None:
    """Print the ratios to Typst alone."""
    alone, kept, whole = Spent(), Spent(), Spent()
    for seed in range(ROUNDS):  # by turns, so that a busy machine slows all alike
        bare(root, alone, seed)
        warm(root, kept, seed)
        write(root, out, whole, seed)
    print(alone.line("Typst alone", ROUNDS * variants))
    print(kept.line("kept warm", ROUNDS * variants))
    print(whole.line("everything", ROUNDS * variants))
    print(f"work, beside Typst alone: {whole.work / alone.work:.2f} (at most 2)")
    print(f"work, beside Typst kept warm: {whole.work / kept.work:.2f}")


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--variants", type=int, default=100)
    asked.add_argument("--jobs", type=int, nargs="*", default=_up_to(os.cpu_count() or 1))
    asked.add_argument("--memory", type=int, nargs="*", default=[100, 1000])
    asked.add_argument("--once", type=int, help=argparse.SUPPRESS)
    args = asked.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if args.once:
            once(folder, args.once)
            return
        root, out = bank(folder / "bank", args.variants), folder / "out" / "ten"
        load = os.getloadavg()[0]
        print(f"{args.variants} variants of ten questions, paper and key (load {load:.1f})")
        beside_typst(root, out, args.variants)
        for jobs in args.jobs:
            spent = Spent()
            write(root, out, spent, jobs=jobs)
            faster = R_EXAMS * args.variants / spent.clock
            told = spent.line("1 job" if jobs == 1 else f"{jobs} jobs", args.variants)
            print(f"{told}; {faster:.0f} times as fast as R/exams (at least 30)")
    for variants in args.memory:
        print(f"peak memory with {variants} variants: {peak(variants):.0f} MB")


def _up_to(cores: int) -> list[int]:
    return [jobs for jobs in (1, 2, 4, 8, 16) if jobs <= cores]


if __name__ == "__main__":
    main()
