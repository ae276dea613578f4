"""Cost and memory of a verify from 100 to 100,000 checks, by draws and by cards.

Must hold: time grows linearly, memory stays flat. Each size runs in a fresh process, in two ways:
*draws* (cards that vary, 1,000 draws each), and *cards* (one check each; the bank itself, the
YAML that was read, grows with them: its memory is shown apart). Memory is the planning process'
peak, which does not import torch; the workers' does not depend on the size.

    python benchmarks/verify_growth.py [LARGEST]
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from bank import make_bank

_MEASURE = """
import resource, sys, time
from pathlib import Path
from closedbook.source import load_bank
from closedbook.verify import Options, verify_bank

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

small, _ = load_bank(Path(sys.argv[2]))
verify_bank(small, options=Options(fresh=True, jobs=2))  # starts the processes, imports torch
empty = peak()
started = time.perf_counter()
bank, problems = load_bank(Path(sys.argv[1]))
read, seconds = peak(), time.perf_counter() - started
started = time.perf_counter()
verified, report = verify_bank(bank, options=Options(fresh=True, jobs=2, draws=10**6))
assert verified is not None, report.problems
print(report.checks, time.perf_counter() - started, seconds, empty, read, peak())
"""


def measure(root: Path, small: Path) -> tuple[float, ...]:
    """Checks, seconds to verify and to read, and the peak in MB before, after reading, at last."""
    run = subprocess.run(
        [sys.executable, "-c", _MEASURE, str(root), str(small)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return tuple(map(float, run.stdout.split()))


def main() -> None:
    """Print a row for each size, then the ratios."""
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    print(f"{'':6} {'checks':>8} {'seconds':>8} {'µs/check':>9} {'bank MB':>8} {'verify MB':>9}")
    with tempfile.TemporaryDirectory() as folder:
        small = make_bank(Path(folder) / "small", cards=1)
        for way in ("draws", "cards"):
            rows = []
            size = 100
            while size <= largest:
                root = Path(folder) / f"{way}-{size}"
                if way == "cards":
                    make_bank(root, cards=size)
                else:
                    make_bank(root, varying=max(1, size // 1000), draws=min(size, 1000))
                checks, seconds, reading, empty, read, last = measure(root, small)
                rows.append((checks, seconds + reading, last - read))
                total = seconds + reading
                print(f"{way:6} {checks:8,.0f} {total:8.2f} {total / checks * 1e6:9.0f}", end="")
                print(f" {read - empty:8.1f} {last - read:9.1f}")
                size *= 10
            (few, cost_of_few, _), (many, cost, memory) = rows[-2], rows[-1]
            each = (cost / many) / (cost_of_few / few)
            print(f"  a check among {many:,.0f} / among {few:,.0f} = {each:.2f} in time;", end=" ")
            print(f"{memory - rows[-2][2]:+.1f} MB in memory")


if __name__ == "__main__":
    main()
