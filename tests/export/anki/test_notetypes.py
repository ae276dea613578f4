"""The note types are frozen, and Anki makes the cards of them that we say it makes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from closedbook.export.anki.notetypes import NOTE_TYPES, TRAP, NoteType, css
from closedbook.export.anki.package import Deck, Note, Package
from closedbook.export.anki.scratch import import_package, scratch_collection

# What stands in learners' collections. Never change a row: rename a spare, or add a note type.
PINNED = {
    "closedbook question": (
        1785000000001,
        "Id Ask Code Options Answer Typed Why Hint Evidence",
        "Question",
    ),
    "closedbook cloze": (1785000000002, "Id Text Code Claims Why Hint Evidence", "Cloze"),
    "closedbook derivation": (
        1785000000003,
        "Id Ask Code Steps Result Why Hint Evidence",
        "Derivation",
    ),
    "closedbook step": (
        1785000000004,
        "Id Ask Code Earlier Number Step Answer Why Hint Evidence",
        "Step",
    ),
    "closedbook trap": (
        1785000000005,
        "Id Ask Code Observed Fault Fix Hint Evidence",
        "Observed Fault Fix",
    ),
    "closedbook task": (
        1785000000006,
        "Id Ask Code File Contract Answer Broken Why Hint Evidence",
        "Task",
    ),
}
SPARES = ["Spare 1", "Spare 2", "Spare 3", "Spare 4"]


def note(note_type: NoteType, filled: set[str], guid: str) -> Note:
    """A note with a word in each of the fields ``filled``."""
    fields = note_type.row({"Id": guid, **dict.fromkeys(filled, "{{c1::word}}")})
    cards = (0,) if note_type.cloze else note_type.cards_of(fields)
    return Note(guid, note_type, "\x1f".join(fields), "", "Types", cards, 1767225600, 1)


def package(path: Path, notes: list[Note]) -> Path:
    """A package of ``notes``."""
    types = {note.type: 1767225600 for note in notes}
    deck = Deck(7, "Types")
    Package(iter(notes), types, lambda: [deck], {}, dict).write_to_file(path)
    return path


def test_ids_names_and_fields_are_the_ones_that_collections_already_hold() -> None:
    """Every id, field and template is what it was when the first deck went out."""
    assert {t.name for t in NOTE_TYPES} == set(PINNED)
    for note_type in NOTE_TYPES:
        number, fields, templates = PINNED[note_type.name]
        assert note_type.id == number
        assert list(note_type.fields) == fields.split() + SPARES
        assert [template.name for template in note_type.templates] == templates.split()
        assert note_type.field_id(0) == number * 100
        assert note_type.template_id(0) == number * 100 + 80


def test_anki_keeps_the_pinned_ids(tmp_path: Path) -> None:
    """After an import Anki has our ids on types, fields and templates, and no name twice."""
    notes = [note(t, {t.sort}, t.name) for t in NOTE_TYPES]
    with scratch_collection() as collection:
        import_package(collection, package(tmp_path / "types.apkg", notes))
        for note_type in NOTE_TYPES:
            stored = json.loads(collection._backend.get_notetype_legacy(note_type.id))
            assert stored["name"] == note_type.name
            assert [field["id"] for field in stored["flds"]] == [
                note_type.field_id(index) for index in range(len(note_type.fields))
            ]
            assert [card["id"] for card in stored["tmpls"]] == [
                note_type.template_id(index) for index in range(len(note_type.templates))
            ]


@pytest.mark.parametrize("note_type", [t for t in NOTE_TYPES if not t.cloze], ids=lambda t: t.name)
def test_anki_makes_exactly_the_cards_that_the_package_holds(
    note_type: NoteType, tmp_path: Path
) -> None:
    """Whichever optional fields are filled, no card is empty and Anki would add none."""
    needed = {"Ask"} | ({"Step"} if note_type.name.endswith("step") else set())
    optional = [name for name in note_type.fields[1:-4] if name not in needed]
    notes = [
        note(
            note_type,
            needed | {name for bit, name in enumerate(optional) if mask >> bit & 1},
            f"g{mask}",
        )
        for mask in range(2 ** len(optional))
    ]
    with scratch_collection() as collection:
        import_package(collection, package(tmp_path / "all.apkg", notes))
        assert not collection.get_empty_cards().notes
        before = collection.card_count()
        model = json.loads(collection._backend.get_notetype_legacy(note_type.id))
        collection.after_note_updates(
            collection.db.list("select id from notes"), mark_modified=False, generate_cards=True
        )
        assert model["type"] == 0
        assert collection.card_count() == before == sum(len(each.cards) for each in notes)


def test_a_trap_gives_a_card_for_the_fault_only_where_the_fault_is_told() -> None:
    """Without ``why`` a trap has two cards, with it three."""
    bare = TRAP.row({"Id": "x", "Ask": "a", "Code": "c", "Observed": "o", "Fix": "f"})
    assert TRAP.cards_of(bare) == (0, 2)
    told = TRAP.row({"Id": "x", "Ask": "a", "Code": "c", "Observed": "o", "Fix": "f", "Fault": "w"})
    assert TRAP.cards_of(told) == (0, 1, 2)


def test_an_unknown_field_is_refused() -> None:
    """A misspelt field of a note cannot be lost in silence."""
    with pytest.raises(KeyError, match="Question"):
        TRAP.row({"Id": "x", "Question": "?"})


def test_the_style_touches_nothing_but_the_cards_and_knows_the_night() -> None:
    """The style sheet colours code by day and by night."""
    assert ".nightMode" in css()
    assert ".highlight" in css()
