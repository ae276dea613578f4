"""A second verify of an unchanged bank against reading and hashing its files.

Must hold: at most 1.5 times that, for 10,000 cards, and neither torch nor what reads YAML is
imported. Both sides run in fresh interpreters; the time is taken inside, past the imports of what
they use. The whole processes' times are shown too: most of them is Python's and click's own start.

    python benchmarks/verify_again.py [CARDS]
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bank import make_bank

import closedbook

LIMIT = 1.5
ROUNDS = 15

_READ = """
import hashlib, os, sys, time
started = time.perf_counter()
for folder in ("cards", "exams", "generators"):
    for path, _, names in os.walk(os.path.join(sys.argv[1], folder)):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                hashlib.sha256(file.read()).hexdigest()
print(time.perf_counter() - started)
"""

_VERIFY = """
import os, sys, time
import closedbook.commands.verify, closedbook.verify.receipts.snapshot
import closedbook.verify.options, closedbook.verify.formats.text
from closedbook import cli
started = time.perf_counter()
code = cli.run(["verify", "--bank", sys.argv[1]])
print(time.perf_counter() - started)
heavy = [name for name in ("torch", "yaml", "pydantic", "jinja2", "rich") if name in sys.modules]
sys.exit(f"imported: {heavy}" if heavy else code)
"""


def installed(folder: Path) -> dict[str, str]:
    """An environment with a copy of closedbook that nobody edits while this runs."""
    package = Path(closedbook.__file__).parent
    shutil.copytree(package, folder / "closedbook", ignore=shutil.ignore_patterns("__pycache__"))
    return os.environ | {"PYTHONPATH": str(folder), "NO_COLOR": "1"}


def timed(program: str, root: Path, environment: dict[str, str]) -> tuple[float, float]:
    """Seconds inside and around one fresh interpreter."""
    started = time.perf_counter()
    run = subprocess.run(
        [sys.executable, "-c", program, str(root)],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    around = time.perf_counter() - started
    assert run.returncode == 0, run.stdout + run.stderr
    return float(run.stdout.splitlines()[-1]), around


def main() -> None:
    """Print the ratio."""
    cards = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    with tempfile.TemporaryDirectory() as folder:
        root = make_bank(Path(folder) / "bank", cards=cards)
        environment = installed(Path(folder) / "installed")
        first = subprocess.run(
            [sys.executable, "-m", "closedbook", "verify", "--bank", str(root)],
            capture_output=True,
            text=True,
            check=False,
            env=environment,
        )
        assert first.returncode == 0, first.stdout + first.stderr
        reads, verifies = [], []
        for _ in range(ROUNDS):
            reads.append(timed(_READ, root, environment))
            verifies.append(timed(_VERIFY, root, environment))
        size = sum(path.stat().st_size for path in (root / "cards").rglob("*.yaml"))
    (read, read_around), (again, again_around) = min(reads), min(verifies)
    print(f"{cards:,} cards, {size / 1e6:.1f} MB")
    print(f"first verify       {first.stdout.splitlines()[0]}")
    print(f"read and hash      {read * 1e3:6.1f} ms   (whole process {read_around * 1e3:.0f} ms)")
    print(f"verify again       {again * 1e3:6.1f} ms   (whole process {again_around * 1e3:.0f} ms)")
    verdict = "holds" if again / read <= LIMIT else "DOES NOT HOLD"
    print(f"verify again / read and hash = {again / read:.2f} (at most {LIMIT}): {verdict}")


if __name__ == "__main__":
    main()
