"""Cards as the fields of notes, rendered once and kept in the store."""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from closedbook.export.anki.media import Media
from closedbook.export.anki.notes import NOTES, Draft
from closedbook.export.anki.notetypes import BY_NAME, NoteType
from closedbook.export.anki.page import QUOTE, Page, quotes_in
from closedbook.export.anki.store import Row, Store, key_of
from closedbook.model.bank import Card
from closedbook.model.gaps import NO_GAP
from closedbook.problem import Problem
from closedbook.verify.verified import VerifiedBank, VerifiedCard, VerifiedDraw

SEPARATOR = "\x1f"
ROOT_TAG = "closedbook"


@dataclass(frozen=True, slots=True)
class Drafted:
    """A note: its fields as Anki joins them, its cards' ordinals, its tags, a hash of it all.

    ``figures`` maps the path of each figure, as the author wrote it, to its name in Anki.
    """

    part: str
    type: NoteType
    fields: str
    cards: tuple[int, ...]
    tags: str
    hash: str
    figures: tuple[tuple[str, str], ...] = ()
    problems: tuple[Problem, ...] = ()


Progress: TypeAlias = Callable[[int, int], None]
"""Told how many cards are done, and how many there are."""


class Drafts:
    """Makes the notes of cards, from the store where it knows them."""

    def __init__(
        self,
        verified: VerifiedBank,
        media: Media,
        store: Store,
        progress: Progress | None = None,
    ) -> None:
        self._verified = verified
        self._media = media
        self._store = store
        self._progress = progress

    def all(self, wanted: Callable[[Card], bool] | None) -> Iterator[tuple[Card, Drafted]]:
        """Every note of the cards that are ``wanted`` (of all where None), in source order."""
        files = itertools.groupby(self._verified.cards, lambda each: each.card.origin.path)
        seen, done = [], 0
        for file, group in files:
            seen.append(file)
            cards = list(group)
            draws = ((each.card.id, len(each.draws)) for each in cards)
            key = key_of(file, self._verified.bank.digests, draws, self._verified.torch)
            rows = self._store.get(file, key) if key else None
            chosen = [each for each in cards if not wanted or wanted(each.card)]
            known = self._known(chosen, rows) if rows is not None else None
            if known is not None:
                yield from known
            elif wanted or key is None:
                yield from self._fresh(chosen)
            else:
                yield from self._kept(file, key, cards)
            done += len(cards)
            if self._progress is not None:
                self._progress(done, len(self._verified.cards))
        self._store.close(seen)

    def _kept(
        self, file: str, key: str, cards: Sequence[VerifiedCard]
    ) -> Iterator[tuple[Card, Drafted]]:
        """The notes of a file, made anew and put into the store."""
        rows: list[Row] = []
        sound = True
        for card, note in self._fresh(cards):
            sound = sound and not note.problems
            figures = "\n".join("\t".join(figure) for figure in note.figures)
            ordinals = " ".join(map(str, note.cards))
            rows.append(
                Row(card.id, note.part, note.type.name, note.fields, ordinals, figures, note.hash)
            )
            yield card, note
        if sound:
            self._store.put(file, key, rows)

    def _known(
        self, cards: Sequence[VerifiedCard], rows: Iterable[Row]
    ) -> list[tuple[Card, Drafted]] | None:
        """The notes of ``cards`` among a file's; None where a figure or a quote has changed.

        No figure of another card is looked for: those that were found travel with the deck.
        """
        by_id = {each.card.id: each for each in cards}
        notes = []
        quotes: dict[str, list[str]] = {}
        for name, part, type_name, fields, ordinals, shown, stored in rows:
            if name not in by_id:
                continue
            card = by_id[name].card
            figures = tuple(_pair(line) for line in shown.split("\n")) if shown else ()
            if not all(self._same(card, *figure) for figure in figures):
                return None
            if QUOTE in fields:
                quotes.setdefault(name, []).append(fields)
            numbers, tags = _ordinals(ordinals), tags_of(card)
            note_type = BY_NAME[type_name]
            notes.append((card, Drafted(part, note_type, fields, numbers, tags, stored, figures)))
        if not all(self._said(by_id[name], shown) for name, shown in quotes.items()):
            return None
        return notes

    def _said(self, card: VerifiedCard, fields: Sequence[str]) -> bool:
        """Whether the notes of a card quote what was observed now: a run may say other things."""
        quoted: set[str] = set()
        for draw in card.deck_draws():
            page = Page(draw, self._media)
            quoted.update(map(page.quote, draw.drawn.claims))
        return quoted - {""} == {quote for text in fields for quote in quotes_in(text)}

    def _same(self, card: Card, path: str, name: str) -> bool:
        file, _ = self._media.find(card, path)
        return file is not None and file.name == name

    def _fresh(self, cards: Sequence[VerifiedCard]) -> Iterator[tuple[Card, Drafted]]:
        for each in cards:
            for number, draw in enumerate(each.deck_draws()):
                for note in self._of_draw(draw, number):
                    yield each.card, note

    def _of_draw(self, draw: VerifiedDraw, number: int) -> Iterator[Drafted]:
        page = Page(draw, self._media)
        for draft in NOTES[draw.drawn.card.kind](page, self._verified.bank):
            yield _finish(draft, page, number)
            page.problems = []


def keep_notes(verified: VerifiedBank, store: Path, progress: Progress | None = None) -> None:
    """Render the notes of a verified bank into the store at ``store``, for the next deck to take.

    What cannot be rendered is left for the deck to tell; where the store cannot be written,
    nothing is rendered.
    """
    kept = Store(store)
    if kept.keeps:
        for _ in Drafts(verified, Media(verified.bank), kept, progress).all(None):
            pass


def _finish(draft: Draft, page: Page, number: int) -> Drafted:
    """A draft with its id, tags and hash. ``number`` is the draw's; the first has no mark."""
    label = f"{page.card.id}{draft.label}{f'#{number + 1}' if number else ''}"
    values = draft.type.row({"Id": label, **draft.fields})
    cards = draft.type.cards_of(values) if draft.cards is None else draft.cards
    tags = tags_of(page.card)
    fields = SEPARATOR.join(values)
    return Drafted(
        part=f"{draft.part}.draw.{number + 1}" if number else draft.part,
        type=draft.type,
        fields=fields,
        cards=cards,
        tags=tags,
        hash=note_hash(fields, tags),
        figures=tuple(sorted(page.used.items())),
        problems=(*page.problems, *_unfit(draft.type, values, cards, page)),
    )


def _unfit(
    note_type: NoteType, values: tuple[str, ...], cards: tuple[int, ...], page: Page
) -> Iterator[Problem]:
    """What Anki could not hold: a note without cards, or Anki's separator in a field."""
    if not cards:
        yield page.card.origin.problem(("text",), NO_GAP, card=page.card.id)
    for name, value in zip(note_type.fields, values, strict=True):
        if SEPARATOR in value:
            message = f"the field {name!r} holds the character that Anki separates fields with"
            yield page.card.origin.problem((), message, card=page.card.id)


def _pair(line: str) -> tuple[str, str]:
    path, _, name = line.partition("\t")
    return path, name


@functools.lru_cache(maxsize=256)
def _ordinals(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split()))


def tags_of(card: Card) -> str:
    """``closedbook::UNIT::OUTCOME`` for each outcome, and the author's own tags, in order."""
    return _tags(card.unit.id, card.content.outcome, card.content.tags)


@functools.lru_cache(maxsize=1024)
def _tags(unit: str, outcomes: tuple[str, ...], own: tuple[str, ...]) -> str:
    made = (f"{ROOT_TAG}::{_tag_part(unit)}::{_tag_part(name)}" for name in outcomes)
    return " ".join(sorted({*made, *own}))


def _tag_part(name: str) -> str:
    return "-".join(name.replace(":", " ").split())


def note_hash(fields: str, tags: str) -> str:
    """A hash of all that Anki would take over: fields, tags, figures (their names hold hashes)."""
    return hashlib.sha256(f"{fields}\x1e{tags}".encode()).hexdigest()[:16]
