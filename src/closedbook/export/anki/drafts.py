"""Cards as the fields of notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from closedbook.export.anki.media import Media
from closedbook.export.anki.notes import NOTES, Draft
from closedbook.export.anki.notetypes import NoteType
from closedbook.export.anki.page import Page
from closedbook.problem import Problem
from closedbook.verify.verified import VerifiedBank, VerifiedCard, VerifiedDraw

_SEPARATOR = "\x1f"


@dataclass(frozen=True, slots=True)
class Drafted:
    """A note's type, fields and cards; the names of the figures in it; what is wrong with it."""

    part: str
    type: NoteType
    fields: tuple[str, ...]
    cards: tuple[int, ...]
    media: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


class Drafts:
    """Makes the notes of cards."""

    def __init__(self, verified: VerifiedBank, media: Media) -> None:
        self._bank = verified.bank
        self._media = media

    def of(self, card: VerifiedCard) -> Iterator[Drafted]:
        """The notes of a card: of each draw that the deck carries, each kind of note."""
        for number, draw in enumerate(card.deck_draws()):
            yield from self._of_draw(draw, f"draw.{number + 1}" if number else "")

    def _of_draw(self, draw: VerifiedDraw, suffix: str) -> Iterator[Drafted]:
        page = Page(draw, self._media)
        for draft in NOTES[draw.drawn.card.kind](page, self._bank):
            yield self._finish(draft, page, suffix)
            page.problems = []

    def _finish(self, draft: Draft, page: Page, suffix: str) -> Drafted:
        key = page.card.id + draft.label + (f"#{suffix[5:]}" if suffix else "")
        fields = draft.type.row({"Id": key, **draft.fields})
        cards = draft.type.cards_of(fields) if draft.cards is None else draft.cards
        problems = [*page.problems, *_unfit(draft, fields, cards, page)]
        return Drafted(
            part=f"{draft.part}.{suffix}" if suffix else draft.part,
            type=draft.type,
            fields=fields,
            cards=cards,
            media=tuple(sorted(page.used)),
            problems=tuple(problems),
        )


def _unfit(
    draft: Draft, fields: tuple[str, ...], cards: tuple[int, ...], page: Page
) -> Iterator[Problem]:
    """What Anki could not hold: a note without cards, or Anki's separator in a field."""
    if not cards:
        message = "this card has no gap: write {{c1::…}} around what is asked"
        yield page.card.origin.problem(("text",), message, card=page.card.id)
    for name, value in zip(draft.type.fields, fields, strict=True):
        if _SEPARATOR in value:
            message = f"the field {name!r} holds the character that Anki separates fields with"
            yield page.card.origin.problem((), message, card=page.card.id)
