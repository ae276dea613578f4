"""The preview sets templates as Anki does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from anki.collection import Collection

from closedbook.export.anki.media import Media
from closedbook.export.anki.notes import NOTES
from closedbook.export.anki.notetypes import NOTE_TYPES, NoteType
from closedbook.export.anki.page import Page
from closedbook.model.bank import Bank
from closedbook.preview.templates import face
from closedbook.source import load_bank
from closedbook.source.draws import space_of
from closedbook.source.realise import realise
from closedbook.verify.verified import VerifiedDraw

EXAMPLE = Path(__file__).parent.parent.parent


def drafts(bank: Bank) -> list[tuple[NoteType, dict[str, str]]]:
    """The notes of every card of a bank, without evidence."""
    found = []
    media = Media(bank)
    for card in bank.cards:
        space, _ = space_of(card)
        assert space is not None
        drawn, _ = realise(card, space.sample(1)[0], bank.generators)
        assert drawn is not None
        page = Page(VerifiedDraw(drawn, (None,) * len(drawn.claims)), media)
        for draft in NOTES[card.kind](page, bank):
            fields = draft.type.row({"Id": card.id + draft.label, **draft.fields})
            found.append((draft.type, dict(zip(draft.type.fields, fields, strict=True))))
    return found


def add_types(collection: Collection) -> None:
    """The note types of closedbook, made by Anki's own means."""
    for kind in NOTE_TYPES:
        made = collection.models.new(kind.name)
        made["type"] = 1 if kind.cloze else 0
        for name in kind.fields:
            collection.models.add_field(made, collection.models.new_field(name))
        for template in kind.templates:
            new = collection.models.new_template(template.name)
            new["qfmt"], new["afmt"] = template.front, template.back
            collection.models.add_template(made, new)
        collection.models.add_dict(made)


def folded(page: str) -> str:
    """HTML without what is Anki's desktop's own business."""
    page = re.sub(r' data-cloze="[^"]*"', "", page)
    page = re.sub(r'<input type="text" id="typeans"[^>]*>', "[[type:Typed]]", page)
    page = re.sub(r'<code id="typeans">.*?</code>', "[[type:Typed]]", page)
    return page.strip()


@pytest.mark.parametrize("which", ["small", "example"])
def test_every_card_is_as_anki_renders_it(which: str, bank: Path, tmp_path: Path) -> None:
    """Both sides of every card of the bank are what Anki's renderer gives for the same note."""
    loaded, problems = load_bank(bank if which == "small" else EXAMPLE)
    assert loaded is not None, problems
    collection = Collection(str(tmp_path / "c.anki2"))
    add_types(collection)
    compared = 0
    try:
        for kind, values in drafts(loaded):
            note = collection.new_note(collection.models.by_name(kind.name))
            for name, value in values.items():
                note[name] = value
            collection.add_note(note, 1)
            for card in note.cards():
                output = card.render_output()
                front = face(kind, values, card.ord, back=False)
                back = face(kind, values, card.ord, back=True)
                assert folded(front) == folded(output.question_text)
                assert folded(back) == folded(output.answer_text)
                compared += 1
    finally:
        collection.close()
    assert compared >= 6
