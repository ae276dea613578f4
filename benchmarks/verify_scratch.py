"""10,000 checks from scratch against a plain loop over the same Functions and inputs.

Must hold: at most 1.3 times the loop, past the import of torch. The verify reads the YAML, reads
every text against the rules, runs the checks in processes and writes receipts; the loop makes the
same tensors, calls the same Function forward and backward (gradcheck where a check asks for it),
and compares. Loop and verify take turns, and the best turn of each counts; of what runs in one
process the processor's time is told beside the clock's, which others on the machine stretch. The
banks: cards of four claims, with as many gradchecks among them as in this
repository's own bank, are what the limit is for; two more are shown that are all overhead, where
a check takes a tenth of a millisecond.

    python benchmarks/verify_scratch.py [CHECKS]
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

from bank import gradchecked, make_bank, shapes, small_shapes

from closedbook.source import load_bank
from closedbook.verify import Options, verify_bank

LIMIT = 1.3
ROUNDS = 3


def load(path: Path) -> ModuleType:
    """The bank's file as a module, as anybody would import it."""
    spec = importlib.util.spec_from_file_location("measured_linear", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


Case = tuple[int, int, int, bool]
"""Sizes n, i and o of one check, and whether it asks for gradcheck."""

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
    """What it costs to call the Function for each check, forward and backward, and compare."""
    import torch

    torch.set_num_threads(1)  # small tensors: the fairest for the loop, and what the engine does
    function = load(root / "generators" / "linear.py").Linear
    started = now()
    for n, i, o, gradcheck in cases:
        torch.manual_seed(0)
        x = torch.randn(n, i, dtype=torch.float64, requires_grad=True)
        weight = torch.randn(o, i, dtype=torch.float64, requires_grad=True)
        bias = torch.randn(o, dtype=torch.float64, requires_grad=True)
        if gradcheck:
            assert torch.autograd.gradcheck(function.apply, (x, weight, bias))
            continue
        output = function.apply(x, weight, bias)
        grads = torch.autograd.grad(output, (x, weight, bias), torch.randn_like(output))
        assert tuple(output.shape) == (n, o)
        assert tuple(grads[0].shape) == (n, i)
        assert tuple(grads[1].shape) == (o, i)
    return since(started)


def verify(root: Path, jobs: int | None) -> Cost:
    """What a verify of the bank costs, its reading included."""
    started = now()
    bank, problems = load_bank(root)
    assert bank is not None
    assert not problems
    verified, report = verify_bank(bank, options=Options(jobs=jobs, fresh=True))
    assert verified is not None, report.problems
    return since(started)


def banks(folder: Path, checks: int) -> list[tuple[str, Path, list[Case]]]:
    """The banks to measure: in words, their folder, and what their checks call."""
    cards, draws = checks // 4, min(checks, 1000)
    by_claims = [
        (*small_shapes(number), last and gradchecked(number))
        for number in range(cards)
        for last in (False, False, False, True)
    ]
    by_draws = [
        (n, i, o, False)
        for _ in range(checks // draws)
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
            [(*shapes(number), False) for number in range(checks)],
        ),
    ]


def main() -> None:
    """Print the ratios; the first bank's must hold."""
    checks = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        small = make_bank(Path(folder) / "small", cards=1)
        for jobs in (None, 0):
            verify(small, jobs)  # imports torch, in the processes' server and here
        ratios = [
            compare(words, root, cases, rounds=ROUNDS if number else 1)
            for number, (words, root, cases) in enumerate(banks(Path(folder), checks))
        ]
    verdict = "holds" if ratios[0] <= LIMIT else "DOES NOT HOLD"
    print(f"verify / plain loop = {ratios[0]:.2f} (at most {LIMIT}): {verdict}")


def compare(words: str, root: Path, cases: list[Case], rounds: int) -> float:
    """Print what loop and verify cost; return the ratio of a verify in processes by the clock."""
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
        beside = (
            f", {processor / loop[1]:.2f} x of the processor" if how == "in one process" else ""
        )
        print(f"  {how:15} {clock:6.2f} s  {each}{beside}", flush=True)
    return best(many)[0] / loop[0]


if __name__ == "__main__":
    main()
