"""10,000 checks from scratch against a plain loop over the same Functions and inputs.

Must hold: at most 1.3 times the loop, past the import of torch, for cards of four claims with as
many gradchecks among them as in this repository's own bank (which `verify_own.py` measures). Two
more banks are all overhead, a check of theirs taking a twentieth of a millisecond: what a card
costs beside its checks stands there bare, and no bound is set. To read such a check's YAML alone
takes nearly as long as to run it.

The verify reads the YAML, reads every text against the rules, runs the checks and writes receipts;
the loop makes the same tensors, calls the same Function forward and backward (gradcheck where a
check asks for it), and compares the shapes that the check asks for. Loop and verify take turns,
and the best turn of each counts.
In one process the processor's time is judged, which others on the machine do not stretch; in
processes, as `cards verify` runs, the clock, first with torch imported already, then from a cold
start, less what the import of torch takes: cards are read while it goes on.

For four claims a card the engine calls the Function once a card, so a loop that does so too is
shown beside.

    python benchmarks/verify_scratch.py [CHECKS]
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

from bank import gradchecked, make_bank, shapes, small_shapes

from closedbook.source import load_bank
from closedbook.verify import Options, verify_bank

LIMIT = 1.3
ROUNDS = 3

_IMPORT = """
import time
started = time.perf_counter()
import torch
import closedbook.verify.run.jobs
print(time.perf_counter() - started)
"""

_COLD = """
import sys, time
from pathlib import Path
import closedbook.commands.verify, closedbook.commands.verifying
from closedbook.source import load_bank
from closedbook.verify import Options, verify_bank
from closedbook.verify.workers.backends import start_server

started = time.perf_counter()
start_server()
bank, _ = load_bank(Path(sys.argv[1]), drawn=False)
verified, report = verify_bank(bank, options=Options(fresh=True))
assert verified is not None, report.problems
print(time.perf_counter() - started)
"""


def load(path: Path) -> ModuleType:
    """The bank's file as a module, as anybody would import it."""
    spec = importlib.util.spec_from_file_location("measured_linear", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Case:
    """One check: the sizes n, i and o, and what it asks for.

    ``asked`` holds the tensors whose shapes it expects; ``fill`` is what ``input`` is filled with,
    where it is not drawn.
    """

    n: int
    i: int
    o: int
    asked: tuple[str, ...] = ("output", "input", "weight")
    gradcheck: bool = False
    fill: float | None = None


Cost = tuple[float, float]
"""Seconds by the clock, and of the processor in this process."""


def now() -> Cost:
    """Both clocks."""
    return time.perf_counter(), time.process_time()


def since(started: Cost) -> Cost:
    """What both clocks have gone on."""
    clock, processor = now()
    return clock - started[0], processor - started[1]


def best(costs: list[Cost]) -> Cost:
    """The least of each clock."""
    return min(clock for clock, _ in costs), min(processor for _, processor in costs)


def plain_loop(root: Path, cases: list[Case]) -> Cost:
    """What it costs to call the Function for each check, forward and backward, and compare.

    The inputs are made as the engine makes them, each tensor from a seed of its own.
    """
    import torch

    torch.set_num_threads(1)  # small tensors: the fairest for the loop, and what the engine does
    function = load(root / "generators" / "linear.py").Linear
    generator, double = torch.Generator(), torch.float64
    seeds = {name: number for number, name in enumerate(("input", "weight", "bias", "grad_output"))}

    def drawn(name: str, *sizes: int) -> torch.Tensor:
        generator.manual_seed(seeds[name])
        grad = name != "grad_output"
        return torch.randn(sizes, generator=generator, dtype=double, requires_grad=grad)

    started = now()
    for case in cases:
        if case.fill is None:
            x = drawn("input", case.n, case.i)
        else:
            x = torch.full((case.n, case.i), case.fill, dtype=double).requires_grad_()
        weight, bias = drawn("weight", case.o, case.i), drawn("bias", case.o)
        if case.gradcheck:
            assert torch.autograd.gradcheck(function.apply, (x, weight, bias))
            continue
        output = function.apply(x, weight, bias)
        given = drawn("grad_output", *output.shape)
        grads = torch.autograd.grad(output, (x, weight, bias), given)
        if "output" in case.asked:
            assert tuple(output.shape) == (case.n, case.o)
        if "input" in case.asked:
            assert tuple(grads[0].shape) == (case.n, case.i)
        if "weight" in case.asked:
            assert tuple(grads[1].shape) == (case.o, case.i)
    return since(started)


def verify(root: Path, jobs: int | None) -> Cost:
    """What a verify of the bank costs, its reading included."""
    started = now()
    bank, problems = load_bank(root, drawn=False)  # as `cards verify` does
    assert bank is not None
    assert not problems
    verified, report = verify_bank(bank, options=Options(jobs=jobs, fresh=True))
    assert verified is not None, report.problems
    return since(started)


def banks(folder: Path, checks: int) -> list[tuple[str, Path, list[Case]]]:
    """The banks to measure: in words, their folder, and what their checks call."""
    cards, draws = checks // 4, min(checks, 1000)
    by_claims = [
        Case(*small_shapes(number), (asked,), gradcheck=not asked and gradchecked(number))
        for number in range(cards)
        for asked in ("output", "input", "weight", "")
    ]
    by_draws = [
        Case(n, i, o, ("weight",), fill=(number + 1) / 1000)
        for number in range(checks // draws)
        for n in range(2, 2 + draws // 100)
        for i in range(2, 12)
        for o in range(12, 22)
    ]
    return [
        (
            "four claims a card, one check in eight a gradcheck",
            make_bank(folder / "claims", claims=cards),
            by_claims,
        ),
        (
            "cards that vary, shapes alone",
            make_bank(folder / "draws", varying=checks // draws, draws=draws),
            by_draws,
        ),
        (
            "one check a card, shapes alone",
            make_bank(folder / "cards", cards=checks),
            [Case(*shapes(number)) for number in range(checks)],
        ),
    ]


def apart(program: str, *arguments: str) -> float:
    """The seconds that a program prints, run in a fresh interpreter."""
    command = [sys.executable, "-c", program, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return float(run.stdout)


def past_import(root: Path) -> float:
    """What a verify in processes takes from a cold start, less what torch's import takes."""
    pairs = [(apart(_IMPORT), apart(_COLD, str(root))) for _ in range(ROUNDS)]
    return min(cold for _, cold in pairs) - min(imported for imported, _ in pairs)


def once_a_card(cases: list[Case]) -> list[Case]:
    """The same for four claims a card as a loop would do that knows: each card is run once."""
    firsts = [replace(case, asked=("output", "input", "weight")) for case in cases[::4]]
    return firsts + [case for case in cases if case.gradcheck]


def main() -> None:
    """Print the ratios and whether each holds."""
    checks = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        small = make_bank(Path(folder) / "small", cards=1)
        for jobs in (None, 0):
            verify(small, jobs)  # imports torch, in the processes' server and here
        made = banks(Path(folder), checks)
        for words, root, cases in made[1:]:
            compare(words, root, cases, rounds=ROUNDS, bound=False)
        words, root, cases = made[0]
        clock, processor = compare(words, root, cases, rounds=1)
        sharing = plain_loop(root, once_a_card(cases))
        print(
            f"  a loop that calls the Function once for all claims of a card: {sharing[0]:.2f} s,"
        )
        print(f"  in processes {clock / sharing[0]:.2f} x,", end=" ")
        print(f"in one process {processor / sharing[1]:.2f} x of the processor")


def compare(words: str, root: Path, cases: list[Case], rounds: int, *, bound: bool = True) -> Cost:
    """Print what loop and verify cost, and whether the ``bound`` holds; return a verify's seconds.

    By the clock where it runs in processes, of the processor where in one.
    """
    loops, many, one = [plain_loop(root, cases)], [], []
    for _ in range(rounds):
        many.append(verify(root, None))
        one.append(verify(root, 0))
        loops.append(plain_loop(root, cases))
    loop = best(loops)
    print(f"{words}: {len(cases):,} checks")
    each = f"{loop[0] / len(cases) * 1e6:5.0f} µs a check"
    print(f"  plain loop      {loop[0]:6.2f} s  {each}")
    for how, (clock, processor) in (("in processes", best(many)), ("in one process", best(one))):
        each = f"{clock / len(cases) * 1e6:5.0f} µs a check  {clock / loop[0]:.2f} x"
        alone = how == "in one process"
        beside = f", {processor / loop[1]:.2f} x of the processor" if alone else ""
        ratio = processor / loop[1] if alone else clock / loop[0]
        verdict = f" (at most {LIMIT}): {'holds' if ratio <= LIMIT else 'DOES NOT HOLD'}"
        print(f"  {how:15} {clock:6.2f} s  {each}{beside}{verdict if bound else ''}", flush=True)
    cold = past_import(root)
    print(f"  cold, less torch {cold:5.2f} s  {cold / loop[0]:.2f} x", flush=True)
    return best(many)[0], best(one)[1]


if __name__ == "__main__":
    main()
