"""A verified bank as a deck: notes with their identity and times, decks, presets, figures."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from closedbook.export.anki import describe, presets
from closedbook.export.anki.drafts import Drafted, Drafts, Progress
from closedbook.export.anki.identity import deck_id, guid
from closedbook.export.anki.lock import Changes, Lock, Locksmith
from closedbook.export.anki.media import Media
from closedbook.export.anki.notetypes import NoteType, as_json
from closedbook.export.anki.package import Deck, Note
from closedbook.export.anki.selection import Selection
from closedbook.export.anki.store import Store
from closedbook.model.bank import Bank, Card, Unit
from closedbook.verify.verified import VerifiedBank


class DeckBuilder:
    """Goes once over a verified bank and gives its notes, in source order.

    Iterate :meth:`notes` to its end, then ask for the rest: what the notes need is known only
    when they have gone by. Memory holds one card at a time.
    """

    def __init__(
        self,
        verified: VerifiedBank,
        lock: Lock,
        release: int,
        only: Selection | None = None,
        store: Store | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.bank: Bank = verified.bank
        self.presets, self.problems = presets.presets_of(verified.bank)
        self.types: dict[NoteType, int] = {}
        self.note_count = 0
        self.cards_of_unit: dict[str, int] = {}
        self._verified = verified
        self._only = only
        self._smith = Locksmith(lock, release)
        self._media = Media(verified.bank)
        self._drafts = Drafts(verified, self._media, store or Store(None), progress)
        self._decks: dict[str, Unit] = {}
        self._guids: dict[str, str] = {}
        self._next_lock: Lock | None = None

    @property
    def changes(self) -> Changes:
        """What is different from the lock, complete after :meth:`next_lock`."""
        return self._smith.changes

    def notes(self) -> Iterator[Note]:
        """Every note of the deck."""
        wanted = self._only.takes if self._only is not None else None
        for card, drafted in self._drafts.all(wanted):
            self._decks.setdefault(card.deck, card.unit)
            self.problems += drafted.problems
            yield self._note(card, drafted)
        if self._only is None:
            self.problems += self._media.unused()

    def _note(self, card: Card, drafted: Drafted) -> Note:
        was = card.content.was
        origin = self._smith.origin(card.id, card.kind, was)
        key = guid(self.bank.info.id, origin, drafted.part)
        self._check_unique(key, card)
        mod = self._smith.note(card.id, drafted.part, was, origin, drafted.hash)
        if drafted.type not in self.types:
            name = drafted.type.name
            self.types[drafted.type] = self._smith.note_type(name, type_hash(drafted.type))
        self.note_count += 1
        cards = self.cards_of_unit.get(card.unit.id, 0) + len(drafted.cards)
        self.cards_of_unit[card.unit.id] = cards
        return Note(
            guid=key,
            type=drafted.type,
            fields=drafted.fields,
            tags=drafted.tags,
            deck=card.deck,
            cards=drafted.cards,
            mod=mod,
            due=self.note_count,
        )

    def _check_unique(self, key: str, card: Card) -> None:
        """Two notes under one GUID would be one to Anki: the second a change of the first."""
        if key in self._guids:
            other = self._guids[key]
            message = (
                f"to Anki {card.id!r} is the note that {other!r} is: see 'was' and steps' 'id'"
            )
            self.problems.append(card.origin.problem(("id",), message, card=card.id))
        self._guids[key] = card.id

    def next_lock(self) -> Lock:
        """The lock that goes with this deck."""
        if self._next_lock is None:
            self._next_lock = self._smith.finish(partial=self._only is not None)
        return self._next_lock

    def decks(self) -> Iterator[Deck]:
        """The decks of the notes that went by, each unit's own deck before those below it."""
        told: set[str] = set()
        units = {unit.info.deck: unit for unit in self._decks.values()}
        for name, unit in sorted({**self._decks, **units}.items()):
            description = ""
            if name in units and name not in told:
                told.add(name)
                description = describe.description(self._verified, unit, self.next_lock())
            preset = presets.id_of(self.bank, unit.info.preset)
            yield Deck(deck_id(name), name, description, preset)

    def media(self) -> Mapping[str, Path]:
        """The figures of the notes that went by, by their name in Anki."""
        return self._media.names()


@functools.cache
def type_hash(note_type: NoteType) -> str:
    """A hash of a note type: its fields, templates and style."""
    parts: dict[str, Any] = as_json(note_type, 0)
    return hashlib.sha256(repr(sorted(parts.items())).encode("utf-8")).hexdigest()[:16]
