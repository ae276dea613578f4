"""1,000 draws of one varying card: milliseconds a draw, from scratch and from receipts.

For comparison, a stress test of R/exams takes 61 ms a seed (measured elsewhere, on another
machine: an absolute note, no ratio). Must hold: at least 20 times faster a draw.

    python benchmarks/verify_draws.py [DRAWS]
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from bank import make_bank

from closedbook.source import load_bank
from closedbook.verify import Options, verify_bank

R_EXAMS_MS = 61.0
LIMIT = 20


def verify(root: Path, jobs: int | None, *, fresh: bool) -> tuple[float, int]:
    """Seconds for a verify of the bank, its reading included, and how many draws it looked at."""
    started = time.perf_counter()
    bank, problems = load_bank(root)
    assert bank is not None
    assert not problems
    verified, report = verify_bank(bank, options=Options(jobs=jobs, fresh=fresh))
    assert verified is not None, report.problems
    return time.perf_counter() - started, report.draws


def main() -> None:
    """Print the figures."""
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as folder:
        small = make_bank(Path(folder) / "small", cards=1)
        for jobs in (None, 0):
            verify(small, jobs, fresh=True)  # imports torch, in the processes' server and here
        root = make_bank(Path(folder) / "bank", varying=1, draws=draws)
        rows = [
            ("from scratch", verify(root, None, fresh=True)),
            ("  in one process", verify(root, 0, fresh=True)),
            ("from receipts", verify(root, None, fresh=False)),
        ]
    for name, (seconds, looked_at) in rows:
        print(f"{name:17} {seconds / looked_at * 1e3:6.3f} ms a draw ({looked_at:,} draws)")
    seconds, looked_at = rows[0][1]
    ratio = R_EXAMS_MS / (seconds / looked_at * 1e3)
    verdict = "holds" if ratio >= LIMIT else "DOES NOT HOLD"
    print(f"{R_EXAMS_MS:g} ms a seed (noted elsewhere) / ours = {ratio:.0f}", end="")
    print(f" (at least {LIMIT}): {verdict}")


if __name__ == "__main__":
    main()
