"""10,000 checks from scratch against a plain loop over the same Functions and inputs.

Must hold: at most 1.3 times the loop, past the import of torch. The verify reads the YAML, reads
every text against the rules, runs the checks in processes and writes receipts; the loop makes the
same tensors, calls the same Function forward and backward, and compares the same shapes.

    python benchmarks/verify_scratch.py [CHECKS]
"""

from __future__ import annotations

import importlib.util
import sys
import tempfile
import time
from pathlib import Path
from types import ModuleType

from bank import make_bank, shapes

from closedbook.source import load_bank
from closedbook.verify import Options, verify_bank

LIMIT = 1.3


def load(path: Path) -> ModuleType:
    """The bank's file as a module, as anybody would import it."""
    spec = importlib.util.spec_from_file_location("measured_linear", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def plain_loop(root: Path, checks: int) -> float:
    """Seconds for the loop."""
    import torch

    torch.set_num_threads(1)  # small tensors: the fairest for the loop, and what the engine does
    function = load(root / "generators" / "linear.py").Linear
    started = time.perf_counter()
    for number in range(checks):
        n, i, o = shapes(number)
        torch.manual_seed(0)
        input = torch.randn(n, i, dtype=torch.float64, requires_grad=True)
        weight = torch.randn(o, i, dtype=torch.float64, requires_grad=True)
        bias = torch.randn(o, dtype=torch.float64, requires_grad=True)
        output = function.apply(input, weight, bias)
        grads = torch.autograd.grad(output, (input, weight, bias), torch.randn_like(output))
        assert tuple(output.shape) == (n, o)
        assert tuple(grads[0].shape) == (n, i)
        assert tuple(grads[1].shape) == (o, i)
    return time.perf_counter() - started


def verify(root: Path, jobs: int | None) -> float:
    """Seconds for a verify of the bank, its reading included."""
    started = time.perf_counter()
    bank, problems = load_bank(root)
    assert bank is not None
    assert not problems
    verified, report = verify_bank(bank, options=Options(jobs=jobs, fresh=True))
    assert verified is not None, report.problems
    return time.perf_counter() - started


def main() -> None:
    """Print the ratios."""
    checks = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        root = make_bank(Path(folder), cards=checks)
        small = make_bank(Path(folder) / "small", cards=1)
        verify(small, None)  # starts the processes' server, which imports torch
        plain_loop(root, 10)
        loop = plain_loop(root, checks)
        default = verify(root, None)
        inline = verify(root, 0)
        loop = min(loop, plain_loop(root, checks))
    print(f"plain loop        {loop:6.2f} s  {loop / checks * 1e6:5.0f} µs a check")
    for name, seconds in (("verify", default), ("  in one process", inline)):
        each = seconds / checks * 1e6
        print(f"{name:17} {seconds:6.2f} s  {each:5.0f} µs a check  {seconds / loop:.2f} x")
    verdict = "holds" if default / loop <= LIMIT else "DOES NOT HOLD"
    print(f"verify / plain loop = {default / loop:.2f} (at most {LIMIT}): {verdict}")


if __name__ == "__main__":
    main()
