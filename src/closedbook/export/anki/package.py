"""The package file: genanki's collection in a zip, the same bytes for the same notes.

genanki gives the schema, the empty collection and the decks. What it leaves to chance is given
here: the ids of notes and cards, their times, the order and times of the zip's members, and the
temporary file, which is removed. Notes are written as they come, so that memory stays flat.
"""

from __future__ import annotations

import errno
import json
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import genanki
from genanki.apkg_col import APKG_COL
from genanki.apkg_schema import APKG_SCHEMA

from closedbook.export.anki import presets
from closedbook.export.anki.identity import deck_id
from closedbook.export.anki.notetypes import NoteType, as_json

_ZIP_TIME = (1980, 1, 1, 0, 0, 0)
_ZIP_MODE = 0o100644 << 16
_UNIX = 3
_LEVEL = 3
_DECK_TIME = 1_600_000_000
_BATCH = 1000


@dataclass(frozen=True, slots=True)
class Note:
    """A note ready to be written: fields joined by U+001F, tags by spaces.

    ``mod`` is in seconds; ``due`` is the note's place among new cards.
    """

    guid: str
    type: NoteType
    fields: str
    tags: str
    deck: str
    cards: tuple[int, ...]
    mod: int
    due: int


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck: its full name, its description in Markdown, its preset's id (1 is Anki's own)."""

    id: int
    name: str
    description: str = ""
    preset: int = presets.DEFAULT


class Package(genanki.Package):  # type: ignore[misc]  # genanki ships no types
    """A genanki package whose notes come one by one and whose bytes are all decided."""

    def __init__(
        self,
        notes: Iterable[Note],
        types: Mapping[NoteType, int],
        decks: Callable[[], Iterable[Deck]],
        presets_json: Mapping[int, Mapping[str, Any]],
        media: Callable[[], Mapping[str, Path]],
    ) -> None:
        """``types``, ``decks`` and ``media`` are looked at when the last note was read.

        ``types`` gives each note type's time of change, ``media`` each figure's file by its name.
        """
        super().__init__([], [])
        self._notes = notes
        self._types = types
        self._own_decks = decks
        self._presets = presets_json
        self._media = media

    def write_to_db(self, cursor: sqlite3.Cursor, timestamp: float, id_gen: Iterator[int]) -> None:
        """Write notes and cards, then what the collection's one row says about them."""
        cursor.executescript(APKG_SCHEMA)
        cursor.executescript(APKG_COL)
        _insert(cursor, self._notes)
        dconf = json.loads(cursor.execute("SELECT dconf FROM col").fetchone()[0])
        dconf.update({str(number): preset for number, preset in self._presets.items()})
        decks = json.loads(cursor.execute("SELECT decks FROM col").fetchone()[0])
        decks.update({str(deck.id): _deck_json(deck) for deck in self._own_decks()})
        models = {str(type_.id): as_json(type_, mod) for type_, mod in self._types.items()}
        cursor.execute(
            "UPDATE col SET models = ?, decks = ?, dconf = ?",
            tuple(json.dumps(part, sort_keys=True) for part in (models, decks, dconf)),
        )

    def write_to_file(self, file: Path, timestamp: float | None = None) -> None:
        """Write the package. Every time in it comes from the notes; ``timestamp`` is not used.

        Raises OSError where the file cannot be written, or what it is made from beside it.
        """
        with tempfile.TemporaryDirectory(prefix="closedbook-") as folder:
            database = Path(folder, "collection.anki2")
            connection = sqlite3.connect(database)
            try:
                connection.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
                self.write_to_db(connection.cursor(), 0.0, iter(()))
                connection.commit()
            except sqlite3.OperationalError as error:  # the temporary folder is full
                raise OSError(errno.EIO, str(error), str(database)) from error
            finally:
                connection.close()
            self._zip(file, database)

    def _zip(self, file: Path, database: Path) -> None:
        media = self._media()
        names = {str(number): name for number, name in enumerate(media)}
        with zipfile.ZipFile(file, "w") as archive:
            _add(archive, "collection.anki2", database)
            _add(archive, "media", json.dumps(names).encode("ascii"))
            for number, path in enumerate(media.values()):
                _add(archive, str(number), path)


def _add(archive: zipfile.ZipFile, name: str, content: Path | bytes) -> None:
    """Add a member whose time, mode and system are always the same."""
    info = zipfile.ZipInfo(name, _ZIP_TIME)
    info.external_attr = _ZIP_MODE
    info.create_system = _UNIX
    info.compress_type = zipfile.ZIP_DEFLATED
    info._compresslevel = _LEVEL  # type: ignore[attr-defined]  # public only from Python 3.13 on
    if isinstance(content, bytes):
        archive.writestr(info, content)
        return
    info.file_size = content.stat().st_size
    with content.open("rb") as source, archive.open(info, "w") as target:
        while block := source.read(1 << 20):
            target.write(block)


def _insert(cursor: sqlite3.Cursor, notes: Iterable[Note]) -> None:
    """Insert notes and cards in batches."""
    note_ids, card_ids = _Ids(), _Ids()
    note_rows: list[tuple[Any, ...]] = []
    card_rows: list[tuple[Any, ...]] = []

    def flush() -> None:
        cursor.executemany("INSERT INTO notes VALUES(?,?,?,?,-1,?,?,?,0,0,'')", note_rows)
        cursor.executemany(
            "INSERT INTO cards VALUES(?,?,?,?,?,-1,0,0,?,0,0,0,0,0,0,0,0,'')", card_rows
        )
        note_rows.clear()
        card_rows.clear()

    for note in notes:
        nid = note_ids.next(note.mod)
        tags = f" {note.tags} " if note.tags else ""
        first = note.fields.partition("\x1f")[0]
        note_rows.append((nid, note.guid, note.type.id, note.mod, tags, note.fields, first))
        for ordinal in note.cards:
            cid = card_ids.next(note.mod)
            card_rows.append((cid, nid, deck_id(note.deck), ordinal, note.mod, note.due))
        if len(note_rows) >= _BATCH:
            flush()
    flush()


class _Ids:
    """Ids as Anki gives them, milliseconds since 1970, each once, in the order of asking."""

    def __init__(self) -> None:
        self._used: set[int] = set()
        self._next: dict[int, int] = {}

    def next(self, second: int) -> int:
        """The first free id from the start of ``second`` on."""
        free = self._next.get(second, second * 1000)
        while free in self._used:
            free += 1
        self._used.add(free)
        self._next[second] = free + 1
        return free


def _deck_json(deck: Deck) -> dict[str, Any]:
    """A deck as genanki writes it, with a preset and a description in Markdown."""
    json_: dict[str, Any] = genanki.Deck(deck.id, deck.name, deck.description).to_json()
    return json_ | {"conf": deck.preset, "md": True, "mod": _DECK_TIME}
