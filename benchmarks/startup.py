"""``cards --help`` against a bare click program: how much closedbook adds to every start.

Both run as processes of their own, taken in turns; the medians of many runs are compared.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RUNS = 30
BARE = """
import click

@click.group()
def main():
    "A program that does nothing."

@main.command()
def nothing():
    "Do nothing."

main()
"""


def seconds(words: list[str]) -> float:
    """How long one run takes."""
    start = time.perf_counter()
    subprocess.run(words, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Measure both, in turns."""
    with tempfile.TemporaryDirectory() as folder:
        bare = Path(folder) / "bare.py"
        bare.write_text(BARE, encoding="utf-8")
        commands = {
            "bare click": [sys.executable, str(bare), "--help"],
            "cards --help": [str(Path(sys.executable).with_name("cards")), "--help"],
        }
        for words in commands.values():
            seconds(words)
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(RUNS):
            for name, words in commands.items():
                times[name].append(seconds(words))
    medians = {name: statistics.median(taken) for name, taken in times.items()}
    for name, median in medians.items():
        print(f"{name:14} {median * 1000:6.1f} ms")
    print(f"ratio          {medians['cards --help'] / medians['bare click']:6.2f}   (at most 1.5)")


if __name__ == "__main__":
    main()
