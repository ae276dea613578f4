"""How much time an exam takes beside Typst itself: ``python benchmarks/exam.py``.

Prints the ratio of writing 100 variants of a ten-question paper with keys (choosing, making out,
setting, guarding, reading both PDFs back, sheet and manifest) to the bare Typst compiles of the
same sources, measured one after the other in one process; the seconds a variant; and the peak
memory of runs of growing length. ``--variants`` and ``--memory`` change the sizes.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from closedbook.export.exam import Settings, write_exam
from closedbook.export.exam.data import paper_and_key
from closedbook.export.exam.typeset import Typesetter
from closedbook.paper.make import Maker
from closedbook.paper.plan import make_plan
from tests.paper.banks import read_bank, write_bank

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

CHECK = """\
  check:
    run: LinearFunction
    with: {input: "({{ n }}, {{ i }})", weight: "({{ o }}, {{ i }})"}
    expect:
      grad_weight.shape: ({{ o }}, {{ i }})
"""
VARY = """\
  vary: {n: 2..9, i: 2..9, o: 2..9}
  where: n != i and i != o and n != o
"""


def cards() -> str:
    """Ten cards whose numbers differ from variant to variant: six choices, two of each other."""
    out = []
    for at in range(6):
        out.append(f"""\
- id: choice-{at}
  kind: question
  outcome: one
{VARY}  ask: |
    Layer {at} computes `input.mm(weight.t())`, where `input` is ({{{{ n }}}}, {{{{ i }}}}) and
    `weight` is ({{{{ o }}}}, {{{{ i }}}}). What shape has the gradient $\\partial L/\\partial W$?
  options:
    - right: "`({{{{ o }}}}, {{{{ i }}}})`"
    - wrong: "`({{{{ i }}}}, {{{{ o }}}})`"
      because: It is stored as (out, in), so its gradient is too.
    - wrong: "`({{{{ n }}}}, {{{{ i }}}})`"
      because: That is the shape of `grad_input`.
    - wrong: None of these.
      because: One of them is.
      last: true
{CHECK}""")
    for at in range(2):
        out.append(f"""\
- id: short-{at}
  kind: question
  outcome: one
{VARY}  ask: |
    With $Y = X W^\\top$ and `input` ({{{{ n }}}}, {{{{ i }}}}), `weight` ({{{{ o }}}}, {{{{ i }}}}):
    what shape has `grad_weight`, and why? ({at})
  answer: "`grad_weight` is ({{{{ o }}}}, {{{{ i }}}}): it has the shape of `weight`."
  why: A gradient has the shape of what it is the gradient of.
{CHECK}""")
        out.append(f"""\
- id: trap-{at}
  kind: trap
  outcome: one
  code: {{of: LinearFunction}}
  ask: Is anything wrong with it? ({at})
  claims:
    - say: Its gradients have the shapes of its arguments.
      check:
        run: LinearFunction
        with: {{input: "(5, 4)", weight: "(3, 4)"}}
        expect: {{"grad_input.shape": "(5, 4)"}}
  why: It is right.
  fix:
    code: {{of: LinearFunction}}
    check:
      run: LinearFunction
      with: {{input: "(5, 4)", weight: "(3, 4)"}}
      expect: {{"grad_weight.shape": "(3, 4)"}}
""")
    return "".join(out)


def blueprint(variants: int) -> str:
    """Ten questions: the choices, the short answers, the code."""
    return f"""\
title: A paper of ten questions
minutes: 60
variants: {variants}
seed: 7
rules: Closed book.
sections:
  - {{title: Choices, pick: 6, from: {{kind: question, outcome: one}}, points: 2}}
  - {{title: Code, cards: [trap-0, trap-1], points: 6}}
  - {{title: Short answers, cards: [short-0, short-1], points: 3}}
"""


def bank(root: Path, variants: int) -> Path:
    """The benchmark's bank in ``root``."""
    return write_bank(
        root,
        {
            "cards/unit/cards.yaml": cards(),
            "generators/functions/linear.py": FUNCTION,
            "exams/ten.yaml": blueprint(variants),
        },
    )


def write(root: Path, out: Path) -> float:
    """Seconds to write the exam, the bank read already."""
    verified = read_bank(root)
    plan, problems = make_plan(verified, verified.bank.blueprints[0])
    assert plan is not None, problems
    start = time.perf_counter()
    files, problems = write_exam(verified, plan, out, Settings())
    assert files, problems
    return time.perf_counter() - start


def bare(root: Path) -> float:
    """Seconds of the Typst compiles alone, of the same sources in the same order."""
    verified = read_bank(root)
    plan, problems = make_plan(verified, verified.bank.blueprints[0])
    assert plan is not None, problems
    maker = Maker(verified, plan)
    sources = []
    for index in range(len(plan.variants)):
        pair = paper_and_key(maker.variant(index), Settings())
        sources += [json.dumps(data, ensure_ascii=False) for data in pair]
    start = time.perf_counter()
    with Typesetter(root) as setter:
        for source in sources:
            setter.pdf(source)
    return time.perf_counter() - start


def peak(variants: int) -> float:
    """Peak resident memory in MB of a process of its own that writes so many variants."""
    done = subprocess.run(
        [sys.executable, __file__, "--once", str(variants)],
        check=True,
        capture_output=True,
        text=True,
        timeout=1800,
    )
    return float(done.stdout)


def main() -> None:
    """Measure and print."""
    asked = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    asked.add_argument("--variants", type=int, default=100)
    asked.add_argument("--memory", type=int, nargs="*", default=[50, 500])
    asked.add_argument("--once", type=int, help=argparse.SUPPRESS)
    args = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = bank(Path(folder) / "bank", args.once or args.variants)
        out = Path(folder) / "out" / "ten"
        if args.once:
            write(root, out)
            print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
            return
        alone = bare(root)
        whole = write(root, out)
        print(
            f"{args.variants} variants, paper and key: {whole:.2f} s ({whole / args.variants:.3f} s each)"
        )
        print(f"Typst alone: {alone:.2f} s; ratio {whole / alone:.2f} (at most 2)")
    for variants in args.memory:
        print(f"peak memory with {variants} variants: {peak(variants):.0f} MB")


if __name__ == "__main__":
    main()
