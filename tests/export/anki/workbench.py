"""A copy of the fixture bank to edit, verify and release; nothing in it is mocked."""

from __future__ import annotations

import contextlib
import re
import shutil
import sqlite3
from pathlib import Path

from closedbook.export.anki import Written, write_deck
from closedbook.export.anki.store import Store
from closedbook.model.bank import Bank
from closedbook.problem import Problem
from closedbook.source import load_bank
from closedbook.verify.engine import verify_bank
from closedbook.verify.options import Options
from closedbook.verify.verified import VerifiedBank

FIXTURES = Path(__file__).parents[2] / "fixtures" / "anki"
FIRST_RELEASE = FIXTURES / "first-release.apkg"
FIRST_TIME = 1767225600
"""When the fixture deck was released."""
YEAR = 365 * 86400


class Workbench:
    """A bank in a folder of its own. ``store`` keeps receipts from one bank to the next."""

    def __init__(self, folder: Path, store: Path, source: Path = FIXTURES / "bank") -> None:
        self.root = folder / "bank"
        self.store = store
        self.time = FIRST_TIME
        shutil.copytree(source, self.root)

    def path(self, file: str) -> Path:
        """A card file of the unit."""
        return self.root / "cards" / "autograd" / file

    def edit(self, file: str, old: str, new: str) -> None:
        """Replace text that stands exactly once in a card file."""
        path = self.path(file)
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
        path.write_text(text.replace(old, new), encoding="utf-8")

    def entry(self, file: str, card: str) -> str:
        """The text of one card."""
        text = self.path(file).read_text(encoding="utf-8")
        match = re.search(rf"^- id: {card}\n(?:(?!- id: ).*\n?)*", text, re.MULTILINE)
        assert match is not None
        return match[0]

    def bank(self) -> Bank:
        """The bank as it is now."""
        bank, problems = load_bank(self.root)
        assert bank is not None, "\n".join(map(str, problems))
        return bank

    def verified(self) -> VerifiedBank:
        """The bank as it is now, verified."""
        verified, report = verify_bank(self.bank(), options=Options(jobs=0, store=self.store))
        assert verified is not None, "\n".join(map(str, report.problems))
        return verified

    def write(self, path: Path, **more: object) -> tuple[Written | None, list[Problem]]:
        """Verify and write a deck, released a day after the last."""
        self.time += 86400
        return write_deck(self.verified(), path, **{"release": self.time, **more})  # type: ignore[arg-type]  # the caller's keywords are write_deck's

    def release(self, path: Path, **more: object) -> Written:
        """As :meth:`write`, where nothing may go wrong."""
        written, problems = self.write(path, **more)
        assert written is not None, "\n".join(map(str, problems))
        return written


def take_out(path: Path, card: str) -> None:
    """Take a card's notes out of a store of notes, as if its file had been rendered without it."""
    with contextlib.closing(sqlite3.connect(path)) as connection:
        files = connection.execute("SELECT file, key FROM files").fetchall()
    store = Store(path)
    for file, key in files:
        rows = store.get(file, key)
        assert rows is not None
        store.put(file, key, [row for row in rows if row.card != card])
    store.close([file for file, _ in files])
