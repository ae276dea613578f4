"""Receipts: the stored outcomes of checks that held.

A receipt's key is a hash of all that its check depends on, so a receipt is never out of date: a
check that changes has another key. Only what held is stored. The store is one SQLite file; each
row carries its own checksum, and a row or a file that is damaged is dropped, never trusted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from closedbook.verify.job import Outcome, decode_outcome, encode_outcome

NAME = "receipts.sqlite3"
_LAYOUT = 3
_KEEP_DAYS = 90
_TOUCH_DAYS = 7
_LOOKUP = 500
_WAIT_SECONDS = 30.0
# An encoder of its own: `json.dumps` makes one at each call that asks for anything unusual.
_as_json = json.JSONEncoder(ensure_ascii=False, check_circular=False).encode

_SCHEMA = """
CREATE TABLE IF NOT EXISTS receipts (
    key TEXT PRIMARY KEY, outcome TEXT NOT NULL, checksum TEXT NOT NULL,
    used INTEGER NOT NULL, run INTEGER NOT NULL
)
"""


class Receipts:
    """A store of receipts. ``notes`` says what had to be dropped.

    One connection, used under a lock: a preview reads from several threads. Other processes may
    read and write the same file at the same time. With ``fresh`` only what this very object has
    put is known.
    """

    def __init__(self, path: Path | None, *, fresh: bool = False) -> None:
        """Open or make the store at ``path``; None keeps it in memory."""
        self.path = path
        self._fresh = fresh
        self._run = int.from_bytes(os.urandom(7))
        self.notes: list[str] = []
        self._lock = threading.Lock()
        self._today = int(time.time() // 86400)
        self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        if self.path is None:
            return _connect(":memory:")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return _connect(str(self.path))
        except sqlite3.DatabaseError as error:
            if _is_damage(error):
                return self._start_anew(str(error))
            self.notes.append(f"receipts are not kept: {self.path.name}: {error}")
        except OSError as error:
            self.notes.append(f"receipts are not kept: {error.strerror}")
        return _connect(":memory:")

    def _start_anew(self, why: str) -> sqlite3.Connection:
        """Drop a damaged file. Another run may have done so first, and that is as well."""
        assert self.path is not None  # noqa: S101 - a store in memory cannot be damaged
        self.notes.append(f"the receipts were damaged ({why}) and have been dropped")
        try:
            for suffix in ("", "-journal", "-wal", "-shm"):
                self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
            return _connect(str(self.path))
        except (OSError, sqlite3.DatabaseError):
            return _connect(":memory:")

    def get(self, keys: Sequence[str]) -> dict[str, Outcome]:
        """The outcomes that are known of ``keys``; damaged rows are forgotten."""
        found: dict[str, Outcome] = {}
        bad: list[str] = []
        stale: list[str] = []
        with self._sound():
            for at in range(0, len(keys), _LOOKUP):
                for key, text, checksum, used in self._rows(keys[at : at + _LOOKUP]):
                    outcome = _read(key, text, checksum)
                    if outcome is None or not isinstance(used, int):
                        bad.append(key)
                        continue
                    found[key] = outcome
                    if used < self._today - _TOUCH_DAYS:
                        stale.append(key)
            if bad:
                self.notes.append(f"{len(bad)} damaged receipts were dropped")
                self._each("DELETE FROM receipts WHERE key = ?", [(key,) for key in bad])
            if stale:
                rows = [(self._today, key) for key in stale]
                self._each("UPDATE receipts SET used = ? WHERE key = ?", rows)
        return found

    def _rows(self, keys: Sequence[str]) -> list[tuple[str, str, str, int]]:
        marks = ",".join("?" * len(keys))
        query = f"SELECT key, outcome, checksum, used FROM receipts WHERE key IN ({marks})"  # noqa: S608 - only question marks are put in
        if not self._fresh:
            return self._connection.execute(query, tuple(keys)).fetchall()
        return self._connection.execute(f"{query} AND run = ?", (*keys, self._run)).fetchall()

    def put(self, outcomes: Iterable[Outcome]) -> None:
        """Store what held, all of it or nothing."""
        rows = []
        for outcome in outcomes:
            if outcome.holds:
                text = _as_json(encode_outcome(outcome))
                checksum = _checksum(outcome.key, text)
                rows.append((outcome.key, text, checksum, self._today, self._run))
        for _ in range(2 if rows else 0):
            store = self._connection
            with self._sound():
                self._each("INSERT OR REPLACE INTO receipts VALUES (?, ?, ?, ?, ?)", rows)
            if store is self._connection:
                return  # else once more, into what has replaced a damaged one

    def _each(self, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
        with self._connection:
            self._connection.executemany(statement, rows)

    @contextlib.contextmanager
    def _sound(self) -> Iterator[None]:
        """Drop the store where SQLite says that it is damaged; the caller then finds nothing."""
        with self._lock:
            try:
                yield
            except sqlite3.DatabaseError as error:
                if self.path is None or not _is_damage(error):
                    self.notes.append(f"receipts are not kept: {error}")
                    self._connection.close()
                    self._connection = _connect(":memory:")
                    return
                self._connection.close()
                self._connection = self._start_anew(str(error))

    def prune(self) -> None:
        """Drop what no run has asked for in three months."""
        with self._sound():
            self._each("DELETE FROM receipts WHERE used < ?", [(self._today - _KEEP_DAYS,)])

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


def _is_damage(error: sqlite3.DatabaseError) -> bool:
    """Whether a store is to be dropped: it is no database, or none of this form.

    Locked for long, no right to write, a full disk: then the file may be sound.
    """
    wrong_form = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR
    return wrong_form or not isinstance(error, sqlite3.OperationalError)


def _connect(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_WAIT_SECONDS, check_same_thread=False)
    # A text that is none shall fail its row's checksum, not the whole query.
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    try:
        # A killed run leaves a journal that the next one rolls back; only a power cut could
        # damage the file, and then it is dropped: receipts are cheap to make again.
        connection.execute("PRAGMA synchronous = OFF")
        (layout,) = connection.execute("PRAGMA user_version").fetchone()
        if layout not in (0, _LAYOUT):
            connection.execute("DROP TABLE IF EXISTS receipts")
        connection.execute(_SCHEMA)
        if layout != _LAYOUT:
            connection.execute(f"PRAGMA user_version = {_LAYOUT}")
        connection.commit()
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def _read(key: str, text: str, checksum: str) -> Outcome | None:
    if checksum != _checksum(key, text):
        return None
    try:
        outcome = decode_outcome(key, json.loads(text))
    except (ValueError, RecursionError):
        return None
    return outcome if outcome.holds else None


def _checksum(key: str, text: str) -> str:
    return hashlib.sha256(f"{key}\0{text}".encode()).hexdigest()[:16]
