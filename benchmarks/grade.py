"""How long judging takes, against importing torch in the same sitting.

Run as ``python benchmarks/grade.py [ATTEMPTS]``: prints the time of one ``cards grade`` as a
multiple of ``import torch`` (the promise: at most 3), and the time of a class as a multiple of
its bound, the sum of single gradings over the cores plus one import each (at most 1).
"""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
RIGHT = sorted((ROOT / "tests" / "attempts" / "right").glob("*.py"))
BANK = ROOT / "tests" / "grade" / "bank"
REPEATS = 5


def seconds(*command: str) -> float:
    """Wall time of one command."""
    began = time.perf_counter()
    done = subprocess.run([sys.executable, *command], capture_output=True, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return time.perf_counter() - began


def grade(path: Path) -> float:
    """Wall time of ``cards grade`` on a file or a folder."""
    code = "import sys; from closedbook.cli import main; main(sys.argv[1:])"
    return seconds("-c", code, "grade", "task-linear", str(path), "--bank", str(BANK))


def main() -> None:
    """Measure side by side, in turns, and print."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    linear = [path for path in RIGHT if "# task: task-linear\n" in path.read_text("utf-8")]
    imports, singles = [], []
    for turn in range(REPEATS):
        imports.append(seconds("-c", "import torch"))
        singles.append(grade(linear[turn % len(linear)]))
    one_import, single = statistics.median(imports), statistics.median(singles)
    print(f"import torch         {one_import:6.2f} s")
    print(f"one attempt          {single:6.2f} s   {single / one_import:.2f} imports (at most 3)")
    with tempfile.TemporaryDirectory() as folder:
        for index in range(count):
            shutil.copy(linear[index % len(linear)], Path(folder) / f"learner{index:03}.py")
        whole = grade(Path(folder))
    cores = os.cpu_count() or 1
    bound = count * single / cores + count * one_import
    print(f"a class of {count:<9} {whole:6.2f} s   {whole / bound:.2f} of its bound (at most 1)")
    print(f"an attempt in it     {whole / count:6.2f} s   {whole / count / one_import:.2f} imports")


if __name__ == "__main__":
    main()
