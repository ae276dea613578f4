"""One look at the bank: its cards as Anki shows them, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from closedbook.export.anki.media import Media
from closedbook.export.anki.notes import NOTES
from closedbook.export.anki.page import Page
from closedbook.model.bank import Bank, Card
from closedbook.preview.formulas import with_formulas
from closedbook.preview.templates import face
from closedbook.problem import Problem
from closedbook.render.check import check_card
from closedbook.source import load_bank
from closedbook.source.draws import space_of
from closedbook.source.realise import realise
from closedbook.verify.verified import VerifiedBank, VerifiedDraw


@dataclass(frozen=True, slots=True)
class Face:
    """One card of Anki's: its name on the page, and both sides as HTML."""

    name: str
    front: str
    back: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A card of the bank. ``faces`` is empty where it cannot be shown."""

    id: str
    kind: str
    unit: str
    place: str
    difficulty: int
    draw: str = ""
    faces: tuple[Face, ...] = ()


@dataclass(frozen=True, slots=True)
class Site:
    """Everything that the page shows. ``bank`` is None where it could not be read."""

    bank: Bank | None = None
    cards: Mapping[str, Shown] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    media: Mapping[str, Path] = field(default_factory=dict)

    def summary(self) -> list[dict[str, Any]]:
        """The cards as the page's list of them."""
        wrong: dict[str | None, int] = {}
        for problem in self.problems:
            wrong[problem.card] = wrong.get(problem.card, 0) + 1
        return [
            {
                "id": card.id,
                "kind": card.kind,
                "unit": card.unit,
                "place": card.place,
                "difficulty": card.difficulty,
                "draw": card.draw,
                "faces": [shown.name for shown in card.faces],
                "problems": wrong.get(card.id, 0),
            }
            for card in self.cards.values()
        ]


def read_site(root: Path) -> Site:
    """The bank as it lies there, nothing verified: no evidence, no quotes."""
    bank, problems = load_bank(root)
    if bank is None:
        return Site(problems=tuple(problems))
    found = list(problems)
    draws = list(_first_draws(bank, found))
    return _site(bank, draws, found)


def verified_site(verified: VerifiedBank, problems: Iterable[Problem]) -> Site:
    """The bank with the evidence of its checks."""
    draws = [card.deck_draws()[0] for card in verified.cards]
    return _site(verified.bank, draws, list(problems))


def _first_draws(bank: Bank, problems: list[Problem]) -> Iterator[VerifiedDraw]:
    """Each card under a draw, with no evidence; what is wrong with its texts joins the problems."""
    for card in bank.cards:
        if card.content.retired:
            continue
        space, found = space_of(card)
        problems += found
        sample = space.sample(1) if space else []
        if not sample:
            continue
        drawn, found = realise(card, sample[0], bank.generators)
        problems += found
        if drawn is not None:
            problems += check_card(drawn)
            yield VerifiedDraw(drawn, (None,) * len(drawn.claims))


def _site(bank: Bank, draws: list[VerifiedDraw], problems: list[Problem]) -> Site:
    media = Media(bank)
    faces = [list(_faces(bank, draw, media)) for draw in draws]
    sides = with_formulas([side for cards in faces for f in cards for side in (f.front, f.back)])
    drawn = iter(sides)
    cards = {}
    for draw, made in zip(draws, faces, strict=True):
        ready = tuple(Face(f.name, next(drawn), next(drawn)) for f in made)
        shown = _shown(draw, ready)
        cards[shown.id] = shown
    for card in bank.cards:  # what could not be drawn stays in the list, with its problems
        if card.id not in cards and not card.content.retired:
            cards[card.id] = _bare(card)
    return Site(bank, cards, tuple(dict.fromkeys(problems)), media.names())


def _shown(draw: VerifiedDraw, faces: tuple[Face, ...]) -> Shown:
    bare = _bare(draw.drawn.card)
    values = ", ".join(f"{name} = {value}" for name, value in draw.drawn.draw.items())
    return Shown(bare.id, bare.kind, bare.unit, bare.place, bare.difficulty, values, faces)


def _bare(card: Card) -> Shown:
    place = str(card.origin.place())
    return Shown(card.id, card.kind, card.unit.info.title, place, card.content.difficulty)


def _faces(bank: Bank, draw: VerifiedDraw, media: Media) -> Iterator[Face]:
    page = Page(draw, media)
    for draft in NOTES[draw.drawn.card.kind](page, bank):
        fields = draft.type.row({"Id": page.card.id + draft.label, **draft.fields})
        values = dict(zip(draft.type.fields, fields, strict=True))
        ordinals = draft.type.cards_of(fields) if draft.cards is None else draft.cards
        for ordinal in ordinals:
            template = draft.type.templates[0 if draft.type.cloze else ordinal]
            name = f"gap {ordinal + 1}" if draft.type.cloze else template.name
            yield Face(
                name + draft.label.replace("/", " "),
                face(draft.type, values, ordinal, back=False),
                face(draft.type, values, ordinal, back=True),
            )
