"""Writing a deck of 10,000 notes against genanki alone on the same fields, ready made.

Must hold: at most 2 times genanki for a bank that `cards verify` has found to hold. A verify
renders the notes and keeps them; the deck takes them from there, the first one too. The times are
taken side by side in one run:

genanki         notes, a deck and a package of fields that are HTML already
first deck      after a verify, where no deck was ever built
after an edit   one file of cards was changed and verified again
nothing kept    every note rendered from its Markdown, as after a change to the program or where
                `build/` was removed: no part of what must hold, and stated
verify's share  what rendering adds to the verify, beside the verify itself

With `--memory` the growth of memory for 100,000 notes, each side in a process of its own.
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

from closedbook.export.anki import STORE_NAME, keep_notes, write_deck
from closedbook.source import load_bank
from closedbook.verify.engine import verify_bank
from closedbook.verify.options import Options
from closedbook.verify.verified import VerifiedBank

NOTES = 10_000
MANY = 100_000
CARDS_A_FILE = 200
ROUNDS = 5
RELEASE = 1_700_000_000
WORDS = ["tensor", "graph", "node", "saved", "leaf", "hook", "view", "stride", "shape", "engine"]

FUNCTIONS = 100
HEAD = """\
from torch.autograd import Function

from closedbook import reference
"""
GENERATOR = """\


@reference(example={{"input": (5, 4), "weight": (3, 4)}})
class Linear{number}(Function):
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
  code: {{of: Linear{function}}}
  answer: |
    `grad_input` is ({n}, 4) and `grad_weight` is (3, 4): each has the shape of what it is the
    gradient of.
  why: The {word} has a gradient of its own shape, whatever the batch is.
  check:
    run: Linear{function}
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
    functions = (GENERATOR.format(number=number) for number in range(FUNCTIONS))
    (root / "generators" / "linear.py").write_text(HEAD + "".join(functions))
    (root / "cards" / "bank.yaml").write_text("id: measured\ntitle: Measured\n")
    (unit / "unit.yaml").write_text(
        "title: Measured\ndeck: Measured\noutcomes: {measure: Measure., again: Once more.}\n"
    )
    for start in range(0, notes, CARDS_A_FILE):
        numbers = range(start, min(start + CARDS_A_FILE, notes))
        (unit / f"cards-{start:06}.yaml").write_text(
            "\n".join(
                CARD.format(
                    number=n, function=n % FUNCTIONS, word=WORDS[n % len(WORDS)], n=2 + n // 10 % 20
                )
                for n in numbers
            )
        )
    return verify(root)


def verify(root: Path) -> VerifiedBank:
    """The bank at ``root``, read and verified."""
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
    genanki.Package(deck).write_to_file(path, timestamp=RELEASE)


def seconds(run: Callable[[], object]) -> float:
    """How long a call takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def measure() -> None:
    """Print the times and their ratios. The sides take turns, and the best of each counts."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        started = time.perf_counter()
        verified = verified_bank(root / "bank", NOTES)
        verifying = time.perf_counter() - started
        deck, store = root / "ours.apkg", root / "bank" / "build" / STORE_NAME
        rendering = seconds(lambda: keep_notes(verified, store))

        def ours(kept: Path | None) -> None:
            deck.with_name("cards.lock").unlink(missing_ok=True)
            written, problems = write_deck(
                verified, deck, release=RELEASE, store=kept, lock=root / "cards.lock"
            )
            assert written is not None, problems[:3]
            assert written.notes == NOTES

        ours(store)
        model, ready = ready_notes(deck)
        theirs, first = [], []
        for _ in range(ROUNDS):
            first.append(seconds(lambda: ours(store)))
            theirs.append(seconds(lambda: genanki_alone(model, ready, root / "theirs.apkg")))
        edited = again(verified, root, store)
        anew = seconds(lambda: ours(None))
        whole = seconds(
            lambda: subprocess.run(command(root / "bank"), check=True, capture_output=True)
        )
        size = sum(len(field) for fields, _, _ in ready for field in fields) / len(ready)
        sizes = [path.stat().st_size / 1e6 for path in (root / "theirs.apkg", deck)]
    alone = min(theirs)
    print(f"{NOTES:,} notes of {size:,.0f} characters; {sizes[0]:.1f} MB and {sizes[1]:.1f} MB")
    for name, time_ in (
        ("genanki, fields ready made", alone),
        ("first deck after a verify", min(first)),
        ("deck after an edit and a verify", edited),
        ("deck with nothing kept", anew),
        ("verify's share, once", rendering),
    ):
        print(f"{name:33}{time_:7.2f} s {time_ / alone:6.2f} times genanki")
    print(
        f"(reading and verifying the bank took {verifying:.1f} s; the whole command `cards deck`,"
    )
    print(f"which reads and verifies it again from its receipts, takes {whole:.1f} s)")


def command(bank: Path) -> list[str]:
    """``cards deck`` as a user runs it."""
    return [sys.executable, "-m", "closedbook", "deck", "--bank", str(bank)]


def again(verified: VerifiedBank, root: Path, store: Path) -> float:
    """How long the next deck takes when one file of cards has changed and was verified again."""
    bank = verified.bank.root
    card = next((bank / "cards").rglob("cards-000000.yaml"))
    card.write_text(card.read_text().replace("whatever the batch is", "whatever batch there is"))
    changed = verify(bank)
    keep_notes(changed, store)
    return seconds(
        lambda: write_deck(
            changed, root / "ours.apkg", release=RELEASE + 1, store=store, lock=root / "cards.lock"
        )
    )


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
        written, problems = write_deck(verified, folder / "ours.apkg", release=RELEASE)
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
