"""Every kind of edit, released over a deck that somebody studies, in the real Anki."""

from __future__ import annotations

import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from closedbook.export.anki import notetypes, selection_of
from closedbook.export.anki.rehearse import Rehearsal, _compare_rest, rehearse
from closedbook.export.anki.scratch import KeptNote, Snapshot
from tests.export.anki.workbench import FIRST_RELEASE, Workbench

NOTES = 10
"""The notes of the first release."""


def played(bench: Workbench, old: Path = FIRST_RELEASE) -> Rehearsal:
    """The bank as it is now, released and rehearsed over ``old``."""
    new = bench.root.parent / "new.apkg"
    bench.release(new)
    return rehearse(old, new)


def counts(told: Rehearsal) -> tuple[int, int, int, int]:
    """Updated, untouched, new, orphaned."""
    return len(told.updated), len(told.untouched), len(told.new), len(told.orphaned)


def test_a_release_without_edits_touches_nothing(bench: Workbench) -> None:
    """Today's program over last year's deck: no note is updated, nothing is lost."""
    told = played(bench)
    assert counts(told) == (0, NOTES, 0, 0)
    assert told.losses == ()


@dataclass(frozen=True)
class Edit:
    """An edit, and what the rehearsal must say of it."""

    name: str
    do: Callable[[Workbench], None]
    updated: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    orphaned: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    losses: tuple[str, ...] = ()


def text(bench: Workbench) -> None:
    """One word of an explanation."""
    bench.edit("linear.yaml", "why: A gradient has", "why: Each gradient has")


def rename(bench: Workbench) -> None:
    """Another id, with what it was."""
    bench.edit("saving.yaml", "- id: graph\n", "- id: what-the-node-holds\n  was: [graph]\n")


def kind_change(bench: Workbench) -> None:
    """A question becomes a cloze."""
    old = bench.entry("saving.yaml", "graph")
    bench.edit(
        "saving.yaml",
        old,
        """\
- id: graph
  kind: cloze
  outcome: saving
  text: |
    The node of the square holds {{c1::its input}}.

    ![The output points to a node, the node to its saved input](figures/graph.svg)
  check:
    run: Square
    with: {x: [3.0]}
    expect:
      saved.count: 1
""",
    )


def retire(bench: Workbench) -> None:
    """A card is kept out from now on."""
    bench.edit("saving.yaml", "- id: who-writes\n", "- id: who-writes\n  retired: true\n")


def remove(bench: Workbench) -> None:
    """An entry is deleted."""
    bench.edit("linear.yaml", bench.entry("linear.yaml", "task-linear"), "")


def add_cloze(bench: Workbench) -> None:
    """A fourth gap."""
    bench.edit("saving.yaml", "takes the\n    tensors", "takes the\n    {{c4::tensors}}")


def remove_cloze(bench: Workbench) -> None:
    """The second gap is taken out; the third keeps its number."""
    bench.edit("saving.yaml", "{{c2::`ctx.save_for_backward`}}", "`ctx.save_for_backward`")


def change_figure(bench: Workbench) -> None:
    """The figure is drawn anew."""
    figure = bench.path("figures/graph.svg")
    figure.write_text(figure.read_text().replace(">square<", ">x*x<"))


def rename_figure(bench: Workbench) -> None:
    """The figure gets another name."""
    bench.path("figures/graph.svg").rename(bench.path("figures/node.svg"))
    bench.edit("saving.yaml", "figures/graph.svg", "figures/node.svg")


def rename_deck(bench: Workbench) -> None:
    """A subdeck gets another name."""
    bench.edit("unit.yaml", "  linear: Linear", "  linear: The linear layer")


def add_tag(bench: Workbench) -> None:
    """A tag of the author."""
    bench.edit("saving.yaml", "- id: graph\n", "- id: graph\n  tags: [squares]\n")


def add_outcome(bench: Workbench) -> None:
    """A second outcome, which is a tag too."""
    bench.edit("saving.yaml", "- id: graph\n  kind: question\n  outcome: saving",
               "- id: graph\n  kind: question\n  outcome: [saving, shapes]")  # fmt: skip


def add_card(bench: Workbench) -> None:
    """A card before all others of its file."""
    entry = bench.entry("saving.yaml", "graph").replace("id: graph", "id: graph-again")
    path = bench.path("saving.yaml")
    path.write_text(entry + "\n" + path.read_text())


def reorder(bench: Workbench) -> None:
    """The last card becomes the first."""
    entry = bench.entry("saving.yaml", "graph")
    bench.edit("saving.yaml", entry, "")
    path = bench.path("saving.yaml")
    path.write_text(entry + "\n" + path.read_text())


def insert_step(bench: Workbench) -> None:
    """A step between two."""
    bench.edit(
        "linear.yaml",
        "    - id: input\n",
        """\
    - ask: What does the product sum over?
      answer: Over the samples.
      unchecked: this is the definition of the product
    - id: input
""",
    )


def drop_why(bench: Workbench) -> None:
    """A trap without its explanation."""
    bench.edit(
        "saving.yaml",
        "  why: |\n    A tensor kept as an attribute of `ctx` escapes the version check that saved"
        " tensors have.\n",
        "",
    )


def move_to_another_file(bench: Workbench) -> None:
    """A card into a file, and a deck, of its own."""
    entry = bench.entry("linear.yaml", "task-linear")
    bench.edit("linear.yaml", entry, "")
    bench.path("tasks.yaml").write_text(entry)


def another_bank(bench: Workbench) -> None:
    """What a bank must never do."""
    path = bench.root / "cards" / "bank.yaml"
    path.write_text(path.read_text().replace("anki-fixture", "another-id"))


ALL = (
    "weight-shape", "weight-shape-varied", "weight-shape-varied#2", "linear-backward",
    "linear-backward/1", "linear-backward/input", "task-linear", "who-writes", "graph",
    "trap-tensor-on-ctx",
)  # fmt: skip

EDITS = (
    Edit("a text is edited", text, updated=("weight-shape",)),
    Edit("a card is renamed", rename, updated=("what-the-node-holds",)),
    Edit("a card changes its kind", kind_change, new=("graph",), orphaned=("graph",)),
    Edit("a card is retired", retire, orphaned=("who-writes",)),
    Edit("a card is removed", remove, orphaned=("task-linear",)),
    Edit("a gap is added", add_cloze, updated=("who-writes",)),
    Edit(
        "a gap is removed",
        remove_cloze,
        updated=("who-writes",),
        losses=("empty cards, which show an error: who-writes (card 2)",),
    ),
    Edit("a figure changes under its name", change_figure, updated=("graph",)),
    Edit("a figure is renamed", rename_figure, updated=("graph",)),
    Edit("a deck is renamed", rename_deck, moved=ALL[:7]),
    Edit("a card moves to another file", move_to_another_file, moved=("task-linear",)),
    Edit("a tag is added", add_tag, updated=("graph",)),
    Edit("an outcome is added", add_outcome, updated=("graph",)),
    Edit("a card is added in front", add_card, new=("graph-again",)),
    Edit("cards change their order", reorder),
    Edit(
        "a step is put in before one with an id",
        insert_step,
        updated=("linear-backward", "linear-backward/input"),
        new=("linear-backward/2",),
    ),
    Edit(
        "a trap loses what a card is made of",
        drop_why,
        updated=("trap-tensor-on-ctx",),
        losses=("empty cards, which show an error: trap-tensor-on-ctx (card 2)",),
    ),
    Edit(
        "the bank's id changes",
        another_bank,
        new=ALL,
        orphaned=ALL,
        losses=(
            "another note in the place of the one that was studied: weight-shape, "
            "weight-shape-varied, weight-shape-varied#2, linear-backward, linear-backward/1, "
            "linear-backward/input, task-linear, who-writes and 2 more",
        ),
    ),
)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.name)
def test_an_edit_arrives_and_nothing_else_changes(bench: Workbench, edit: Edit) -> None:
    """After each kind of edit the rehearsal names exactly the notes that it touches."""
    edit.do(bench)
    told = played(bench)
    assert sorted(told.updated) == sorted(edit.updated)
    assert sorted(told.new) == sorted(edit.new)
    assert sorted(told.orphaned) == sorted(edit.orphaned)
    assert sorted(told.moved) == sorted(edit.moved)
    assert told.losses == edit.losses
    assert len(told.untouched) == NOTES - len(edit.updated) - len(edit.orphaned)


def test_a_reverted_edit_arrives(bench: Workbench, tmp_path: Path) -> None:
    """Who has the edit gets the old text back, although it is an old text."""
    text(bench)
    edited = tmp_path / "edited.apkg"
    bench.release(edited)
    bench.edit("linear.yaml", "why: Each gradient has", "why: A gradient has")
    told = played(bench, edited)
    assert told.updated == ["weight-shape"]
    assert told.losses == ()


def test_two_branches_merge(bench: Workbench, store: Path, tmp_path: Path) -> None:
    """Both edit one card and release; who has either gets the merged text."""
    other = Workbench(tmp_path / "other", store)
    text(bench)
    other.edit("linear.yaml", "hint: It is", "hint: Surely it is")
    ours, theirs = tmp_path / "ours.apkg", tmp_path / "theirs.apkg"
    bench.release(ours)
    other.release(theirs)
    lock = bench.root / "cards.lock"
    mine = next(line for line in lock.read_text().splitlines() if line.startswith("weight-shape/"))
    yours = next(
        line
        for line in (other.root / "cards.lock").read_text().splitlines()
        if line.startswith("weight-shape/")
    )
    assert mine != yours
    lock.write_text(
        lock.read_text().replace(mine, f"<<<<<<< ours\n{mine}\n=======\n{yours}\n>>>>>>> theirs")
    )
    bench.edit("linear.yaml", "hint: It is", "hint: Surely it is")
    for old in (ours, theirs):
        told = played(bench, old)
        assert told.updated == ["weight-shape"]
        assert told.losses == ()


def test_a_changed_template_arrives(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new look reaches every card, and no note is touched by it."""
    look = notetypes.css() + "\n.cb { color: teal }\n"
    monkeypatch.setattr(notetypes, "css", lambda: look)
    from closedbook.export.anki.deck import type_hash

    type_hash.cache_clear()
    told = played(bench)
    type_hash.cache_clear()
    assert counts(told) == (0, NOTES, 0, 0)
    assert told.losses == ()


def test_a_note_that_the_learner_edited_is_spared_or_named(bench: Workbench) -> None:
    """Unchanged in the release it stays as it is; changed in it, the rehearsal says whose stays."""
    text(bench)
    told = played(bench)
    assert told.overwritten == []
    assert told.conflicts == ["weight-shape (the learner's later edit stays)"]


def test_a_release_that_touches_every_note_is_refused(bench: Workbench) -> None:
    """Without its lock a bank would touch every note: the rehearsal calls that a loss."""
    (bench.root / "cards.lock").unlink()
    told = played(bench)
    assert len(told.touched) == NOTES
    assert told.overwritten == ["linear-backward/input"]
    assert any(loss.startswith("touched without a change") for loss in told.losses)


def test_a_release_whose_times_stand_still_is_refused(bench: Workbench, tmp_path: Path) -> None:
    """An edit under an old time never arrives: the note is frozen, which is a loss."""
    text(bench)
    new = tmp_path / "new.apkg"
    bench.release(new)
    _turn_back(new)
    told = rehearse(FIRST_RELEASE, new)
    assert told.frozen == ["weight-shape"]
    assert told.losses == ("frozen, the change does not arrive: weight-shape",)


def test_a_release_of_another_deck_is_refused(bench: Workbench, tmp_path: Path) -> None:
    """No note in common: nothing was rehearsed, or every learner begins anew."""
    bench.edit("saving.yaml", "- id: graph\n", "- id: graph\n  tags: [graphs]\n")
    for tag in ("graphs", "linear"):
        only, _ = selection_of([f"tag:{tag}"], bench.bank())
        bench.release(tmp_path / f"{tag}.apkg", only=only)
    told = rehearse(tmp_path / "graphs.apkg", tmp_path / "linear.apkg")
    assert counts(told) == (0, 0, 1, 1)
    assert told.losses == (
        "everything, unless this is the deck of another bank: no note of the one is in the other",
    )


def test_a_missing_figure_is_a_loss(bench: Workbench, tmp_path: Path) -> None:
    """A package that lost a figure on the way is found out."""
    change_figure(bench)
    new = tmp_path / "new.apkg"
    bench.release(new)
    stripped = tmp_path / "stripped.apkg"
    with zipfile.ZipFile(new) as source, zipfile.ZipFile(stripped, "w") as target:
        target.writestr("collection.anki2", source.read("collection.anki2"))
        target.writestr("media", "{}")
    told = rehearse(FIRST_RELEASE, stripped)
    assert len(told.missing_media) == 1
    assert told.missing_media[0].startswith("closedbook-graph-")


@pytest.mark.parametrize(
    ("change", "loss"),
    [
        ({"cards": {}}, "schedule changed or card gone: one"),
        ({"cards": {("g", 0): (2, 11)}}, "schedule changed or card gone: one"),
        ({"reviews": 4}, "schedule changed or card gone: the review log"),
        ({"types": {"Question": "x", "Question+": "x"}}, "note types that fork or do not arrive: "),
        ({"types": {"Question": "y"}}, "note types that fork or do not arrive: Question"),
        ({"missing": ("a.svg",)}, "missing figures: a.svg"),
        ({"empty": (("g", 1),)}, "empty cards, which show an error: one (card 2)"),
    ],
)
def test_what_an_import_takes_away_is_a_loss(change: dict[str, object], loss: str) -> None:
    """A schedule, a review, a note type, a figure or a side that an import spoils is named."""
    note = KeptNote("one", "Question", 1, ("one", "Why?"), (), ("Deck",))
    studied = Snapshot({"g": note}, {("g", 0): (2, 10)}, {"Question": "x"}, (), (), 5)
    told = Rehearsal("a to b")
    _compare_rest(told, studied, studied, studied)
    assert told.losses == ()
    _compare_rest(told, studied, replace(studied, **change), studied)  # type: ignore[arg-type] # its own fields
    [found] = told.losses
    assert found.startswith(loss)


def test_the_report_names_counts_and_cards(bench: Workbench) -> None:
    """The report reads as a table, and ends in the verdict."""
    text(bench)
    lines = str(played(bench)).splitlines()
    assert lines[0].startswith("first-release.apkg to new.apkg, rehearsed in Anki ")
    assert lines[1].split() == ["updated", "1", "weight-shape"]
    assert lines[-1] == "nothing is lost"


def _turn_back(path: Path) -> None:
    """Give every note of a package the first release's time."""
    folder = path.parent / "unpacked"
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    connection = sqlite3.connect(folder / "collection.anki2")
    connection.execute("update notes set mod = 1767225600")
    connection.commit()
    connection.close()
    path.unlink()
    shutil.make_archive(str(path.with_suffix("")), "zip", folder)
    path.with_suffix(".zip").rename(path)
