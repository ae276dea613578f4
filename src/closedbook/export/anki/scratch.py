"""A scratch collection of the real Anki: import, study, edit, and what is in it."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anki.collection import Collection, ImportAnkiPackageOptions, ImportAnkiPackageRequest
from anki.dbproxy import DBProxy
from anki.import_export_pb2 import ImportAnkiPackageUpdateCondition
from anki.scheduler.v3 import CardAnswer
from anki.scheduler.v3 import Scheduler as V3Scheduler

_IF_NEWER = ImportAnkiPackageUpdateCondition.IMPORT_ANKI_PACKAGE_UPDATE_CONDITION_IF_NEWER
_STUDIED = 300
_RATINGS = (CardAnswer.GOOD, CardAnswer.EASY, CardAnswer.AGAIN, CardAnswer.HARD)


@dataclass(frozen=True, slots=True)
class KeptNote:
    """A note: its first field (the card's id), its type's name, what an update may change."""

    name: str
    type: str
    mod: int
    fields: tuple[str, ...]
    tags: tuple[str, ...]
    decks: tuple[str, ...]

    @property
    def content(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Fields and tags."""
        return self.fields, self.tags


@dataclass(frozen=True, slots=True)
class Snapshot:
    """All of a collection that an import could change.

    ``cards`` holds the scheduler's columns of each card by GUID and ordinal, ``types`` the style
    and templates of each note type, ``empty`` the cards that show nothing, ``missing`` the
    figures that are not there.
    """

    notes: dict[str, KeptNote]
    cards: dict[tuple[str, int], tuple[Any, ...]]
    types: dict[str, str]
    empty: tuple[tuple[str, int], ...]
    missing: tuple[str, ...]
    reviews: int

    @classmethod
    def of(cls, collection: Collection) -> Snapshot:
        """Look at everything."""
        types = _types(collection)
        cards = {(row[0], row[1]): tuple(row[2:]) for row in _rows(collection)}
        return cls(
            notes=_notes(collection, {number: name for number, (name, _) in types.items()}),
            cards=cards,
            types=dict(types.values()),
            empty=_empty(collection),
            missing=tuple(collection.media.check().missing),
            reviews=_db(collection).scalar("select count() from revlog"),
        )

    def id(self, guid: str) -> str:
        """The card's id as the note's first field has it; the GUID of a note that is not there."""
        return self.notes[guid].name if guid in self.notes else guid


@contextlib.contextmanager
def scratch_collection() -> Iterator[Collection]:
    """An empty collection in a folder of its own, closed and removed at the end."""
    with tempfile.TemporaryDirectory(prefix="closedbook-") as folder:
        collection = Collection(str(Path(folder, "collection.anki2")))
        try:
            yield collection
        finally:
            collection.close()


def import_package(collection: Collection, path: Path, *, presets: bool = False) -> Any:
    """Import a package with the choices that Anki's dialog starts with. Returns Anki's log."""
    options = ImportAnkiPackageOptions(
        merge_notetypes=False,
        update_notes=_IF_NEWER,
        update_notetypes=_IF_NEWER,
        with_scheduling=False,
        with_deck_configs=presets,
    )
    request = ImportAnkiPackageRequest(package_path=str(path.resolve()), options=options)
    return collection.import_anki_package(request).log


def study(collection: Collection) -> None:
    """Answer every other card, some well and some badly; suspend, flag and move some.

    At most 300 cards are answered; that is enough to see any loss, and quick.
    """
    cards = _db(collection).list("select id from cards order by due, id")
    scheduler = collection.sched
    assert isinstance(scheduler, V3Scheduler)  # noqa: S101 - a new collection has no other
    for number, cid in enumerate(cards[: 2 * _STUDIED : 2]):
        card = collection.get_card(cid)
        card.start_timer()
        states = collection._backend.get_scheduling_states(cid)
        rating = _RATINGS[number % len(_RATINGS)]
        answer = scheduler.build_answer(card=card, states=states, rating=rating)
        scheduler.answer_card(answer)
    scheduler.suspend_cards(cards[3::17])
    collection.set_user_flag_for_cards(2, cards[5::19])
    own = collection.decks.id("My own deck")
    if cards and own is not None:
        collection.set_deck(cards[-1:], own)


def edit_as_learner(collection: Collection, guid: str, at: int) -> None:
    """Add a remark to the note's second field, as in Anki's editor at the time ``at``."""
    nid = _db(collection).scalar("select id from notes where guid = ?", guid)
    note = collection.get_note(nid)
    note.fields[1] += "<br>a remark of mine"
    collection.update_note(note)
    _db(collection).execute("update notes set mod = ? where id = ?", at, nid)


def _db(collection: Collection) -> DBProxy:
    assert collection.db is not None  # noqa: S101 - it is while the collection is open
    return collection.db


def _rows(collection: Collection) -> list[Any]:
    return _db(collection).all(
        "select n.guid, c.ord, c.did, c.odid, c.type, c.queue, c.due, c.odue, c.ivl, c.factor,"
        " c.reps, c.lapses, c.left, c.flags, c.data from cards c join notes n on n.id = c.nid"
        " order by c.id"
    )


def _notes(collection: Collection, types: dict[int, str]) -> dict[str, KeptNote]:
    decks: dict[int, set[str]] = {}
    names = {deck.id: deck.name for deck in collection.decks.all_names_and_ids()}
    for nid, did in _db(collection).all("select distinct nid, did from cards"):
        decks.setdefault(nid, set()).add(names.get(did, ""))
    found = {}
    for nid, guid, mid, mod, tags, flds in _db(collection).all(
        "select id, guid, mid, mod, tags, flds from notes order by id"
    ):
        fields = tuple(flds.split("\x1f"))
        found[guid] = KeptNote(
            name=fields[0],
            type=types[mid],
            mod=mod,
            fields=fields,
            tags=tuple(sorted(tags.split())),
            decks=tuple(sorted(decks.get(nid, ()))),
        )
    return found


def _types(collection: Collection) -> dict[int, tuple[str, str]]:
    """Name and text (fields, style, templates) of each note type, by id, past Anki's cache."""
    found = {}
    for known in collection.models.all_names_and_ids():
        json_ = json.loads(collection._backend.get_notetype_legacy(known.id))
        text = json.dumps(
            [
                [field["name"] for field in json_["flds"]],
                [[card["name"], card["qfmt"], card["afmt"]] for card in json_["tmpls"]],
                json_["css"],
            ]
        )
        found[known.id] = (known.name, text)
    return found


def _empty(collection: Collection) -> tuple[tuple[str, int], ...]:
    ids = [cid for note in collection.get_empty_cards().notes for cid in note.card_ids]
    rows = (
        _db(collection).first(
            "select n.guid, c.ord from cards c join notes n on n.id = c.nid where c.id = ?", cid
        )
        for cid in ids
    )
    return tuple((row[0], row[1]) for row in rows if row)
