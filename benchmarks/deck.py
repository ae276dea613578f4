"""Writing a deck of 10,000 notes against genanki alone on the same fields, ready made.

Three times are taken in one run: genanki's on fields that are already HTML, ours where the notes
were rendered in an earlier build (the usual case: a build after an edit), and ours where every
note has to be rendered from its Markdown. With ``--memory`` the growth of memory for 100,000
notes as well, each side in a process of its own.
"""

from __future__ import annotations

import argparse
import gc
import json
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import genanki

from closedbook.export.anki import write_deck
from closedbook.source import load_bank
from closedbook.verify.engine import verify_bank
from closedbook.verify.options import Options
from closedbook.verify.verified import VerifiedBank

NOTES = 10_000
MANY = 100_000
CARDS_A_FILE = 200
ROUNDS = 3
WORDS = ["tensor", "graph", "node", "saved", "leaf", "hook", "view", "stride", "shape", "engine"]

GENERATOR = """\
from torch.autograd import Function

from closedbook import reference


@reference(example={"input": (5, 4), "weight": (3, 4)})
class LinearFunction(Function):
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

CARD = """\
- id: card-{number}
  kind: question
  outcome: [measure, again]
  tags: [measured, "{word}"]
  ask: |
    `input` is ({n}, 4) and `weight` is (3, 4), so $Y = X W^\\top$ is ({n}, 3). Which shapes do the
    gradients have that **backward** returns for the *{word}*?
  code: |
    class Linear{number}(Function):
        @staticmethod
        def forward(input, weight):
            return input.mm(weight.t())

        @staticmethod
        def backward(ctx, grad_output):
            input, weight = ctx.saved_tensors
            return grad_output.mm(weight), grad_output.t().mm(input)
  answer: |
    `grad_input` is ({n}, 4) and `grad_weight` is (3, 4): each has the shape of what it is the
    gradient of.
  why: The {word} has a gradient of its own shape, whatever the batch is.
  check:
    run: LinearFunction
    with: {{input: {{shape: "({n}, 4)"}}, weight: {{shape: "(3, 4)"}}}}
    expect:
      grad_input.shape: ({n}, 4)
      grad_weight.shape: (3, 4)
"""


def verified_bank(root: Path, notes: int) -> VerifiedBank:
    """A verified bank of ``notes`` cards below ``root``."""
    unit = root / "cards" / "measured"
    unit.mkdir(parents=True)
    (root / "generators").mkdir()
    (root / "generators" / "linear.py").write_text(GENERATOR)
    (root / "cards" / "bank.yaml").write_text("id: measured\ntitle: Measured\n")
    (unit / "unit.yaml").write_text(
        "title: Measured\ndeck: Measured\noutcomes: {measure: Measure., again: Once more.}\n"
    )
    for start in range(0, notes, CARDS_A_FILE):
        numbers = range(start, min(start + CARDS_A_FILE, notes))
        (unit / f"cards-{start:06}.yaml").write_text(
            "\n".join(
                CARD.format(number=n, word=WORDS[n % len(WORDS)], n=2 + n // 10 % 20)
                for n in numbers
            )
        )
    bank, problems = load_bank(root)
    assert bank is not None, problems[:3]
    verified, report = verify_bank(bank, options=Options(jobs=0))
    assert verified is not None, report.problems[:3]
    return verified


def ready_notes(deck: Path) -> tuple[genanki.Model, list[tuple[list[str], list[str], str]]]:
    """The note type of a deck that we wrote, and each note's fields, tags and GUID."""
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(deck) as archive:
        connection = sqlite3.connect(archive.extract("collection.anki2", folder))
        (type_,) = json.loads(connection.execute("SELECT models FROM col").fetchone()[0]).values()
        rows = connection.execute("SELECT flds, tags, guid FROM notes ORDER BY id").fetchall()
        connection.close()
    model = genanki.Model(
        type_["id"],
        type_["name"],
        fields=[{"name": field["name"]} for field in type_["flds"]],
        templates=[{key: card[key] for key in ("name", "qfmt", "afmt")} for card in type_["tmpls"]],
        css=type_["css"],
    )
    return model, [(flds.split("\x1f"), tags.split(), guid) for flds, tags, guid in rows]


def genanki_alone(
    model: genanki.Model, ready: list[tuple[list[str], list[str], str]], path: Path
) -> None:
    """What a script does that has its fields ready: notes, a deck, a package."""
    deck = genanki.Deck(2059400110, "Measured")
    for fields, tags, guid in ready:
        deck.add_note(genanki.Note(model=model, fields=fields, tags=tags, guid=guid))
    genanki.Package(deck).write_to_file(path, timestamp=1_700_000_000)


def best(run: Callable[[], object]) -> float:
    """The shortest of a few runs, in seconds."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        run()
        times.append(time.perf_counter() - started)
    return min(times)


def measure() -> None:
    """Print the times and their ratios."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        verified = verified_bank(root / "bank", NOTES)
        deck, store = root / "ours.apkg", root / "deck.sqlite3"

        def ours(kept: Path | None) -> None:
            written, problems = write_deck(verified, deck, release=1_700_000_000, store=kept)
            assert written is not None, problems[:3]
            assert written.notes == NOTES

        ours(store)
        model, ready = ready_notes(deck)
        alone = best(lambda: genanki_alone(model, ready, root / "theirs.apkg"))
        kept = best(lambda: ours(store))
        started = time.perf_counter()
        ours(None)
        anew = time.perf_counter() - started
        size = sum(len(field) for fields, _, _ in ready for field in fields) / len(ready)
        sizes = [path.stat().st_size / 1e6 for path in (root / "theirs.apkg", deck)]
    print(f"{NOTES:,} notes of {size:,.0f} characters")
    print(f"genanki alone, fields ready made     {alone:6.2f} s   {sizes[0]:6.1f} MB")
    print(f"cards deck, rendered before          {kept:6.2f} s   {sizes[1]:6.1f} MB")
    print(f"cards deck, every note rendered anew {anew:6.2f} s")
    print(f"ratio, rendered before {kept / alone:.2f}; rendered anew {anew / alone:.1f}")


def memory(line: str) -> float:
    """A line of Linux's account of this process, ``VmRSS`` or ``VmHWM`` (its peak), in MB."""
    text = Path("/proc/self/status").read_text()
    return next(int(row.split()[1]) for row in text.splitlines() if row.startswith(line)) / 1024


def grown(side: str, folder: Path) -> float:
    """The growth of this process's memory while one side writes its notes, in MB."""
    if side == "ours":
        verified = verified_bank(folder / "bank", MANY)
        gc.collect()
        Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here
        before = memory("VmRSS")
        written, problems = write_deck(verified, folder / "ours.apkg", release=1_700_000_000)
        assert written is not None, problems[:3]
    else:
        before = memory("VmRSS")
        model, ready = ready_notes(folder / "ours.apkg")
        genanki_alone(model, ready, folder / "theirs.apkg")
    return memory("VmHWM") - before


def measure_memory() -> None:
    """Print how much memory each side takes for many notes beyond what it started with."""
    with tempfile.TemporaryDirectory() as folder:
        for side in ("ours", "genanki"):
            run = [sys.executable, __file__, "--side", side, folder]
            print(f"{MANY:,} notes, {side:8} {subprocess.check_output(run, text=True).strip()} MB")


def main() -> None:
    """Measure what was asked for."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--memory", action="store_true", help="100,000 notes, takes minutes")
    options.add_argument("--side", nargs=2, help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.side:
        print(f"{grown(given.side[0], Path(given.side[1])):.0f}")
        return
    measure()
    if given.memory:
        measure_memory()


if __name__ == "__main__":
    main()
