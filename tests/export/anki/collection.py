"""A scratch collection of the real Anki, for tests: import, study, look."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest

IF_NEWER = 0


@contextlib.contextmanager
def scratch() -> Iterator[Collection]:
    """An empty collection in a folder of its own, closed and removed at the end."""
    with tempfile.TemporaryDirectory() as folder:
        collection = Collection(str(Path(folder, "collection.anki2")))
        try:
            yield collection
        finally:
            collection.close()


def import_deck(collection: Collection, path: Path, *, presets: bool = False) -> Any:
    """Import a package with the choices that Anki's dialog starts with; returns its log."""
    options = ImportAnkiPackageOptions(
        merge_notetypes=False,
        update_notes=IF_NEWER,
        update_notetypes=IF_NEWER,
        with_scheduling=False,
        with_deck_configs=presets,
    )
    request = ImportAnkiPackageRequest(package_path=str(path), options=options)
    return collection.import_anki_package(request).log


def fields_by_guid(collection: Collection) -> dict[str, list[str]]:
    """Every note's fields by its GUID."""
    rows = collection.db.all("select guid, flds from notes")
    return {guid: flds.split("\x1f") for guid, flds in rows}


def schedules(collection: Collection) -> dict[tuple[str, int], tuple[Any, ...]]:
    """What the scheduler knows of each card, by the note's GUID and the card's ordinal."""
    rows = collection.db.all(
        "select n.guid, c.ord, c.did, c.type, c.queue, c.due, c.ivl, c.factor, c.reps, c.lapses,"
        " c.flags from cards c join notes n on n.id = c.nid"
    )
    return {(row[0], row[1]): tuple(row[2:]) for row in rows}
