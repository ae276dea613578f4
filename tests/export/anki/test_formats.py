"""The other ways out, each brought into Anki again, and decks of some of the cards."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from anki.collection import Collection
from anki.import_export_pb2 import ImportCsvRequest

from closedbook.export.anki import selection_of, write_deck
from closedbook.export.anki.scratch import Snapshot, import_package, scratch_collection
from closedbook.verify.verified import VerifiedBank
from tests.export.anki.workbench import FIRST_TIME, Workbench


def exported(verified: VerifiedBank, path: Path, **more: Any) -> Path:
    """The deck of ``verified`` at ``path``, with a lock of its own."""
    lock = path.with_name("lock")
    written, problems = write_deck(verified, path, lock=lock, release=FIRST_TIME, **more)
    assert written is not None, problems
    return path


def import_text(collection: Collection, path: Path) -> Any:
    """Import a text file with what Anki reads from its headers."""
    metadata = collection.get_csv_metadata(str(path), None)
    return collection.import_csv(ImportCsvRequest(path=str(path), metadata=metadata)).log


def test_text_updates_the_notes_of_the_package(bench: Workbench, tmp_path: Path) -> None:
    """After the package, the text of an edited bank updates by GUID and keeps every schedule."""
    exported(bench.verified(), tmp_path / "x.apkg")
    bench.edit("linear.yaml", "why: A gradient has", "why: Each gradient has")
    text = exported(bench.verified(), tmp_path / "x.tsv", format="tsv")
    with scratch_collection() as collection:
        import_package(collection, tmp_path / "x.apkg")
        before = Snapshot.of(collection)
        log = import_text(collection, text)
        after = Snapshot.of(collection)
    assert (len(log.new), len(log.updated) + len(log.duplicate)) == (0, 10)
    assert before.notes.keys() == after.notes.keys()
    assert before.cards == after.cards
    changed = [
        note.name for guid, note in after.notes.items() if note.fields != before.notes[guid].fields
    ]
    assert changed == ["weight-shape"]
    assert [note.tags for note in before.notes.values()] == [
        note.tags for note in after.notes.values()
    ]


def test_text_is_quoted_whole(small: VerifiedBank, tmp_path: Path) -> None:
    """Headers first, then rows in which every cell is quoted: no row is taken for a comment."""
    lines = exported(small, tmp_path / "x.tsv", format="tsv").read_text().splitlines()
    assert lines[:6] == [
        "#separator:tab",
        "#html:true",
        "#guid column:1",
        "#notetype column:2",
        "#deck column:3",
        "#tags column:4",
    ]
    assert lines[6].startswith('"')


def test_crowdanki_comes_back_as_the_same_notes(small: VerifiedBank, tmp_path: Path) -> None:
    """The folder read as CrowdAnki reads it gives the notes, decks and figures of the package."""
    package = exported(small, tmp_path / "x.apkg")
    folder = exported(small, tmp_path / "crowd", format="crowdanki")
    with scratch_collection() as collection:
        import_package(collection, package)
        expected = Snapshot.of(collection)
    with scratch_collection() as collection:
        _import_crowdanki(collection, folder)
        came = Snapshot.of(collection)
        decks = {deck.name for deck in collection.decks.all_names_and_ids()}
    assert {g: (n.content, n.decks) for g, n in came.notes.items()} == {
        g: (n.content, n.decks) for g, n in expected.notes.items()
    }
    assert came.types.items() >= expected.types.items()
    assert set(came.cards) == set(expected.cards)
    assert not came.missing
    assert "Fixture::Autograd::Linear" in decks


def test_crowdanki_finds_its_note_types_again(small: VerifiedBank, tmp_path: Path) -> None:
    """Anki keeps every field and template as the folder has it, and adds only what it lacks.

    Where one differs the add-on takes the type for a changed one, and asks the learner to map
    each field by hand, at every update.
    """
    folder = exported(small, tmp_path / "crowd", format="crowdanki")
    top = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
    with scratch_collection() as collection:
        _import_crowdanki(collection, folder)
        for model in top["note_models"]:
            stored = collection.models.by_name(model["name"])
            assert stored is not None
            for part in ("flds", "tmpls"):
                for ours, theirs in zip(model[part], stored[part], strict=True):
                    assert theirs.items() >= ours.items()


def test_crowdanki_tells_decks_of_one_name_apart(bench: Workbench, tmp_path: Path) -> None:
    """``Fixture`` and ``Fixture::Autograd::Fixture`` are two decks, and none renames the other."""
    bench.edit("unit.yaml", "linear: Linear", "linear: Fixture::Linear")
    folder = exported(bench.verified(), tmp_path / "crowd", format="crowdanki")
    decks = [json.loads((folder / "deck.json").read_text(encoding="utf-8"))]
    for deck in decks:
        decks += deck["children"]
    assert [deck["name"] for deck in decks] == ["Fixture", "Autograd", "Fixture", "Linear"]
    assert len({deck["crowdanki_uuid"] for deck in decks}) == 4


def _import_crowdanki(collection: Collection, folder: Path) -> None:
    """What the add-on does: presets, note types, then decks from the root, each with its notes."""
    top = json.loads((folder / "deck.json").read_text(encoding="utf-8"))
    configs = {}
    for config in top["deck_configurations"]:
        made = collection.decks.add_config(config["name"])
        made.update({key: value for key, value in config.items() if key != "crowdanki_uuid"})
        collection.decks.update_config(made)
        configs[config["crowdanki_uuid"]] = made["id"]
    models = {}
    for model in top["note_models"]:
        made = collection.models.new(model["name"])
        made.update({k: v for k, v in model.items() if k not in ("crowdanki_uuid", "__type__")})
        collection.models.add_dict(made)
        models[model["crowdanki_uuid"]] = collection.models.by_name(model["name"])
    _import_deck(collection, top, "", configs, models)
    for file in (folder / "media").iterdir():
        shutil.copy(file, collection.media.dir())


def _import_deck(
    collection: Collection,
    deck: dict[str, Any],
    parent: str,
    configs: dict[str, int],
    models: dict[str, Any],
) -> None:
    name = f"{parent}::{deck['name']}" if parent else deck["name"]
    did = collection.decks.id(name)
    assert did is not None
    assert deck["deck_config_uuid"] in configs
    for child in deck["children"]:
        _import_deck(collection, child, name, configs, models)
    for each in deck["notes"]:
        note = collection.new_note(models[each["note_model_uuid"]])
        note.guid, note.fields, note.tags = each["guid"], each["fields"], each["tags"]
        collection.add_note(note, did)


@pytest.mark.parametrize(
    ("words", "notes"),
    [
        (("unit:autograd",), 10),
        (("outcome:saving",), 3),
        (("tag:linear",), 1),
        (("tag:linear", "outcome:saving"), 4),
    ],
)
def test_only_some_of_the_cards(
    small: VerifiedBank, tmp_path: Path, words: tuple[str, ...], notes: int
) -> None:
    """``--only`` takes the cards of any of the outcomes, tags and units that are named."""
    selection, mistake = selection_of(words, small.bank)
    assert selection is not None, mistake
    written, _ = write_deck(
        small, tmp_path / "x.apkg", lock=tmp_path / "lock", only=selection, release=FIRST_TIME
    )
    assert written is not None
    assert written.notes == notes


def test_a_tag_takes_those_below_it(bench: Workbench) -> None:
    """``tag:a`` and ``tag:a::b`` take a card of ``a::b::c``; ``tag:b`` is none of the bank's."""
    bench.edit("linear.yaml", "tags: [linear]", "tags: [a::b::c]")
    bank = bench.bank()
    for word in ("tag:a", "tag:a::b", "tag:a::b::c"):
        selection, mistake = selection_of([word], bank)
        assert selection is not None, mistake
        assert [card.id for card in bank.cards if selection.takes(card)] == ["weight-shape"]
    assert selection_of(["tag:b"], bank)[0] is None


def test_a_deck_of_some_cards_retires_none(bench: Workbench, tmp_path: Path) -> None:
    """The lock keeps what ``--only`` leaves out, and the whole deck is unchanged after it."""
    bench.release(tmp_path / "x.apkg")
    selection, _ = selection_of(["tag:linear"], bench.bank())
    assert str(bench.release(tmp_path / "y.apkg", only=selection).changes) == "nothing changed"
    assert str(bench.release(tmp_path / "z.apkg").changes) == "nothing changed"


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("outcome:shape", "the bank has no outcome 'shape' (did you mean 'shapes'?)"),
        ("outcomes:shapes", "is none of outcome:ID, tag:TAG, unit:ID (did you mean 'outcome'?)"),
        ("linear", "is none of outcome:ID, tag:TAG, unit:ID"),
    ],
)
def test_a_selection_of_nothing_is_a_mistake(small: VerifiedBank, word: str, said: str) -> None:
    """What the bank does not have is said with what was probably meant."""
    selection, mistake = selection_of([word], small.bank)
    assert selection is None
    assert said in mistake
