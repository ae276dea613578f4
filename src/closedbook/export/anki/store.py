"""Rendered notes, kept from one build to the next, file of cards by file of cards.

A file's notes are taken from the store only while nothing that they depend on has changed: the
file itself, the unit, the generators, the versions of Python and torch, this program. The store
may be deleted at any time; a damaged one is dropped, and a checksum covers the notes of a file:
all of them are there as they were put, or none is taken.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import sqlite3
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from closedbook.verify.environment import installed, package_digest

NAME = "deck.sqlite3"
_LAYOUT = 2
_SCHEMA = f"""
PRAGMA journal_mode = MEMORY;
PRAGMA synchronous = OFF;
PRAGMA user_version = {_LAYOUT};
CREATE TABLE IF NOT EXISTS files (
    file TEXT PRIMARY KEY, key TEXT NOT NULL, checksum TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS notes (
    file TEXT NOT NULL, number INTEGER NOT NULL, card TEXT NOT NULL, part TEXT NOT NULL,
    type TEXT NOT NULL, fields TEXT NOT NULL, cards TEXT NOT NULL, figures TEXT NOT NULL,
    hash TEXT NOT NULL, PRIMARY KEY (file, number)
);
"""
_PROGRAM = ("model", "source", "render", "verify", "export/anki")
"""The packages that have a hand in a note."""
_FAULTS = (sqlite3.Error, UnicodeError)
"""A store that does not work. Python cannot even read what SQLite says of some damage."""


class Row(NamedTuple):
    """A rendered note as it is stored. ``figures`` holds ``path<TAB>name`` lines."""

    card: str
    part: str
    type: str
    fields: str
    cards: str
    figures: str
    hash: str


class Store:
    """The store at ``path``; one that keeps nothing where ``path`` is None or cannot be used."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._connection = _open(path) if path is not None else None

    @property
    def keeps(self) -> bool:
        """Whether anything that is put will be there another time."""
        return self._connection is not None

    def get(self, file: str, key: str) -> list[Row] | None:
        """The notes of a file of cards, None where they are not there or may be out of date."""
        if self._connection is None:
            return None
        try:
            query = "SELECT checksum FROM files WHERE file = ? AND key = ?"
            known = self._connection.execute(query, (file, key)).fetchone()
            if known is None:
                return None
            found = self._connection.execute(
                "SELECT card, part, type, fields, cards, figures, hash FROM notes"
                " WHERE file = ? ORDER BY number",
                (file,),
            )
            rows = list(map(Row._make, found))
        except _FAULTS as error:
            self._drop(error)
            return None
        return rows if known == (_checksum(key, rows),) else None

    def put(self, file: str, key: str, rows: Sequence[Row]) -> None:
        """Keep the notes of a file of cards in the place of what was known of it."""
        if self._connection is None:
            return
        numbered = ((file, number, *row) for number, row in enumerate(rows))
        try:
            self._connection.execute("DELETE FROM notes WHERE file = ?", (file,))
            self._connection.executemany("INSERT INTO notes VALUES (?,?,?,?,?,?,?,?,?)", numbered)
            known = (file, key, _checksum(key, rows))
            self._connection.execute("REPLACE INTO files VALUES (?, ?, ?)", known)
        except _FAULTS as error:
            self._drop(error)

    def close(self, files: Iterable[str]) -> None:
        """Write what was put, and forget files that are none of ``files``."""
        if self._connection is None:
            return
        try:
            known = {row[0] for row in self._connection.execute("SELECT file FROM files")}
            for file in known.difference(files):
                self._connection.execute("DELETE FROM notes WHERE file = ?", (file,))
                self._connection.execute("DELETE FROM files WHERE file = ?", (file,))
            self._connection.commit()
            self._connection.close()
        except _FAULTS as error:
            self._drop(error)

    def _drop(self, error: Exception) -> None:
        """Do without the store from now on; start a new one next time, unless somebody has it."""
        assert self._connection is not None  # noqa: S101 - it is dropped once
        assert self._path is not None  # noqa: S101 - a connection has a path
        self._connection.close()
        self._connection = None
        code = getattr(error, "sqlite_errorcode", None)  # an error of the module's own has none
        if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
            return
        with contextlib.suppress(OSError):
            self._path.unlink()


def _open(path: Path) -> sqlite3.Connection | None:
    """The store's connection; an unreadable or strange file is replaced once."""
    for _ in range(2):
        connection = None
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(path, timeout=1)
            if connection.execute("PRAGMA user_version").fetchone()[0] in (0, _LAYOUT):
                connection.executescript(_SCHEMA)
                return connection
        except sqlite3.OperationalError:
            return None  # locked, or no right to write: the file may be sound
        except (*_FAULTS, OSError):
            pass
        if connection is not None:
            connection.close()
        with contextlib.suppress(OSError):
            path.unlink()
    return None


def _checksum(key: str, rows: Iterable[Row]) -> str:
    """What shows that a file's notes are all there, as they were put under ``key``."""
    digest = hashlib.sha256(key.encode())
    for row in rows:
        values = [value if isinstance(value, str) else repr(value) for value in row]
        lengths = " ".join(str(len(value)) for value in values)
        digest.update(f"\n{lengths}\n{''.join(values)}".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


@functools.cache
def program_digest() -> str:
    """A hash of all that notes are made by: this program, Python, and what is installed."""
    parts = [package_digest(*_PROGRAM), sys.version, *installed()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def key_of(
    file: str, digests: Mapping[str, str], cards: Iterable[tuple[str, int]], torch: str
) -> str | None:
    """The key of a file of cards; None where its digest is not known.

    ``cards`` gives each card's id and the number of its verified draws.
    """
    if file not in digests:
        return None
    digest = hashlib.sha256(f"{program_digest()} {torch}".encode())
    for path, known in sorted(digests.items()):
        if path == file or path.startswith("generators/") or path.endswith("/unit.yaml"):
            digest.update(f"{path} {known}\n".encode())
    for card, draws in cards:
        digest.update(f"{card} {draws}\n".encode())
    return digest.hexdigest()
