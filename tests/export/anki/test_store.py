"""Rendered notes come from the store only while nothing that they depend on has changed."""

from __future__ import annotations

import sqlite3
import zipfile
from pathlib import Path

import pytest

from closedbook.export.anki import keep_notes, selection_of
from closedbook.export.anki import store as module
from closedbook.export.anki.store import Row, Store, key_of
from closedbook.verify import environment
from tests.export.anki.workbench import FIRST_TIME, Workbench, take_out


def built(bench: Workbench, path: Path, store: Path | None) -> bytes:
    """The deck's bytes, with a lock of its own."""
    bench.release(path, release=FIRST_TIME, store=store, lock=path.with_name(f"{path.name}.lock"))
    return path.read_bytes()


def alter(store: Path, sql: str) -> int:
    """Change the store behind its back; returns how many rows it hit."""
    connection = sqlite3.connect(store)
    count = connection.execute(sql).rowcount
    connection.commit()
    connection.close()
    return count


def test_a_deck_from_the_store_is_the_same_file(bench: Workbench, tmp_path: Path) -> None:
    """Rendered anew, put into the store, taken from it: three times the same bytes."""
    store = tmp_path / "store.sqlite3"
    anew = built(bench, tmp_path / "a.apkg", None)
    assert built(bench, tmp_path / "b.apkg", store) == anew
    assert built(bench, tmp_path / "c.apkg", store) == anew


def test_notes_kept_without_a_deck_make_the_same_deck(bench: Workbench, tmp_path: Path) -> None:
    """What a verify keeps is what a deck would have rendered; each card is told as done."""
    store, told = tmp_path / "store.sqlite3", []
    keep_notes(bench.verified(), store, lambda done, total: told.append((done, total)))
    assert told[-1] == (len(bench.verified().cards), len(bench.verified().cards))
    rows = alter(store, "UPDATE files SET key = key")
    assert rows == len(told) > 1
    assert built(bench, tmp_path / "b.apkg", store) == built(bench, tmp_path / "a.apkg", None)


def test_nothing_is_rendered_for_a_store_that_cannot_be_written(
    bench: Workbench, tmp_path: Path
) -> None:
    """A folder in the store's place: no card is rendered, and the verify goes on."""
    (tmp_path / "store.sqlite3").mkdir()
    told: list[tuple[int, int]] = []
    keep_notes(bench.verified(), tmp_path / "store.sqlite3", lambda *done: told.append(done))
    assert told == []


def test_a_store_that_another_run_writes_is_left_to_it(bench: Workbench, tmp_path: Path) -> None:
    """Two runs at once: the second does without the store, makes its deck, and breaks nothing."""
    store = tmp_path / "store.sqlite3"
    anew = built(bench, tmp_path / "a.apkg", None)
    Store(store).close([])
    other = sqlite3.connect(store, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    assert built(bench, tmp_path / "b.apkg", store) == anew
    other.execute("INSERT INTO files VALUES ('x', 'y', 'z')")
    other.execute("COMMIT")
    other.close()
    assert alter(store, "DELETE FROM files WHERE file = 'x'") == 1


def test_a_store_that_another_run_began_to_write_is_left_to_it(tmp_path: Path) -> None:
    """The other comes between opening and writing: its notes stay, ours are not kept."""
    path = tmp_path / "store.sqlite3"
    row = Row("a", "question", "t", "f", "0", "", "h")
    ours = Store(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    ours.put("a", "key", [row])
    assert not ours.keeps
    other.execute("INSERT INTO files VALUES ('x', 'y', 'z')")
    other.execute("COMMIT")
    other.close()
    assert alter(path, "DELETE FROM files") == 1


def test_the_store_is_really_read(bench: Workbench, tmp_path: Path) -> None:
    """A note that the store does not give is not in the next deck: the test before is not void."""
    path = tmp_path / "store.sqlite3"
    built(bench, tmp_path / "a.apkg", path)
    take_out(path, "graph")
    assert bench.release(tmp_path / "b.apkg", store=path).notes == 9


@pytest.mark.parametrize(
    ("what", "sql"),
    [
        ("a note's text", "UPDATE notes SET fields = replace(fields, 'tensor', 'sensor')"),
        ("a note's type", "UPDATE notes SET type = 'closedbook nothing'"),
        ("a note's place among its card's", "UPDATE notes SET part = part || '.2'"),
        ("a note's cards", "UPDATE notes SET cards = ''"),
        ("a note's card", "UPDATE notes SET card = 'graph'"),
        ("the order", "UPDATE notes SET number = number + 100 WHERE number = 0"),
        ("a figure's name", "UPDATE notes SET figures = figures || 'x' WHERE figures != ''"),
        ("a note's figures", "UPDATE notes SET figures = ''"),
        ("bytes for text", "UPDATE notes SET figures = CAST(figures AS BLOB)"),
        ("a note that is gone", "DELETE FROM notes WHERE card = 'graph'"),
        ("notes that are gone", "DROP TABLE notes"),
        ("a file's key", "UPDATE files SET key = 'old'"),
        ("the layout", "PRAGMA user_version = 99"),
    ],
)
def test_what_is_damaged_or_old_is_rendered_anew(
    bench: Workbench, tmp_path: Path, what: str, sql: str
) -> None:
    """A store that was changed in any way never reaches the deck."""
    store = tmp_path / "store.sqlite3"
    anew = built(bench, tmp_path / "a.apkg", store)
    alter(store, sql)
    assert built(bench, tmp_path / "b.apkg", store) == anew, what


def test_a_store_that_is_no_database_is_replaced(bench: Workbench, tmp_path: Path) -> None:
    """Whatever lies in its place, the deck is written, and the store is one again."""
    store = tmp_path / "store.sqlite3"
    store.write_bytes(b"not a database" * 100)
    built(bench, tmp_path / "a.apkg", store)
    assert store.read_bytes().startswith(b"SQLite format 3")


def test_damage_that_sqlite_cannot_put_into_words_is_survived(
    bench: Workbench, tmp_path: Path
) -> None:
    """A schema with a broken character in it: Python cannot decode SQLite's message."""
    store = tmp_path / "store.sqlite3"
    anew = built(bench, tmp_path / "a.apkg", store)
    store.write_bytes(store.read_bytes().replace(b"PRIMARY KEY (", b"PRIMARY K\xf8Y ("))
    with pytest.raises(UnicodeDecodeError):
        sqlite3.connect(store).execute("SELECT * FROM notes")
    assert built(bench, tmp_path / "b.apkg", store) == anew
    assert built(bench, tmp_path / "c.apkg", store) == anew


SAID = """

@experiment
def said() -> dict:
    path = __import__("pathlib").Path(__file__).with_name("said.txt")
    return {"message": path.read_text(), "lines": 1}
"""
QUOTED = """
- id: quoted
  kind: question
  outcome: saving
  ask: What is said?
  claims:
    - say: A line.
      quote: message
      check:
        run: said
        expect:
          lines: 1
"""


def test_a_quote_is_of_what_was_observed_now(bench: Workbench, tmp_path: Path) -> None:
    """An experiment that says another thing, though none of the bank's files has changed."""
    store = tmp_path / "store.sqlite3"
    experiments = bench.root / "generators" / "experiments"
    with (experiments / "edits.py").open("a", encoding="utf-8") as file:
        file.write(SAID)
    with bench.path("saving.yaml").open("a", encoding="utf-8") as file:
        file.write(QUOTED)
    bench.store = tmp_path / "own"
    decks = []
    for said in ("one", "one", "two"):
        (experiments / "said.txt").write_text(said, encoding="utf-8")
        (tmp_path / "own" / "receipts.sqlite3").unlink(missing_ok=True)
        decks.append(built(bench, tmp_path / "a.apkg", store))
        assert built(bench, tmp_path / "b.apkg", None) == decks[-1]
    assert decks[0] == decks[1] != decks[2]


def test_a_part_of_the_deck_brings_its_own_figures_only(bench: Workbench, tmp_path: Path) -> None:
    """From the store, a selection leaves out the figure of a card that it leaves out."""
    store = tmp_path / "store.sqlite3"
    bench.edit("saving.yaml", "- id: who-writes\n", "- id: who-writes\n  tags: [chosen]\n")
    built(bench, tmp_path / "a.apkg", store)
    only, _ = selection_of(["tag:chosen"], bench.bank())
    for name, kept in (("b.apkg", store), ("c.apkg", None)):
        bench.release(
            tmp_path / name, only=only, store=kept, release=FIRST_TIME, lock=tmp_path / f"{name}.l"
        )
        assert len(zipfile.ZipFile(tmp_path / name).namelist()) == 2
    assert (tmp_path / "b.apkg").read_bytes() == (tmp_path / "c.apkg").read_bytes()


def test_a_figure_that_changed_is_noticed(bench: Workbench, tmp_path: Path) -> None:
    """The card's file is as it was, its figure is not: the note names the new one."""
    store = tmp_path / "store.sqlite3"
    built(bench, tmp_path / "a.apkg", store)
    figure = bench.path("figures/graph.svg")
    figure.write_text(figure.read_text().replace(">square<", ">x*x<"))
    written = bench.release(
        tmp_path / "b.apkg", release=FIRST_TIME, store=store, lock=tmp_path / "a.apkg.lock"
    )
    assert written.changes.changed == ["graph/question"]


def test_an_edit_of_the_unit_is_noticed(bench: Workbench, tmp_path: Path) -> None:
    """A resource's title stands in the small print of each note that names it."""
    store = tmp_path / "store.sqlite3"
    built(bench, tmp_path / "a.apkg", store)
    bench.edit("unit.yaml", "title: Extending PyTorch", "title: Extending torch")
    written = bench.release(
        tmp_path / "b.apkg", release=FIRST_TIME, store=store, lock=tmp_path / "a.apkg.lock"
    )
    assert len(written.changes.changed) == 5


def test_the_key_takes_in_what_notes_depend_on() -> None:
    """Another file, generator, unit, draw or torch gives another key, not another card file."""
    digests = {"cards/u/a.yaml": "1", "cards/u/unit.yaml": "2", "generators/g.py": "3"}
    key = key_of("cards/u/a.yaml", digests, [("a", 1)], "2.13.0")
    others = [
        key_of("cards/u/a.yaml", digests | {"cards/u/a.yaml": "x"}, [("a", 1)], "2.13.0"),
        key_of("cards/u/a.yaml", digests | {"cards/u/unit.yaml": "x"}, [("a", 1)], "2.13.0"),
        key_of("cards/u/a.yaml", digests | {"generators/g.py": "x"}, [("a", 1)], "2.13.0"),
        key_of("cards/u/a.yaml", digests, [("a", 2)], "2.13.0"),
        key_of("cards/u/a.yaml", digests, [("a", 1)], "2.14.0"),
    ]
    assert len({key, *others}) == 6
    more = digests | {"cards/u/b.yaml": "4"}
    assert key_of("cards/u/a.yaml", more, [("a", 1)], "2.13.0") == key
    assert key_of("cards/u/c.yaml", digests, [], "2.13.0") is None


def test_the_program_that_renders_is_part_of_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An edit of anything that makes notes renders them anew; an edit of the grader does not."""

    def digest() -> str:
        environment.package_digest.cache_clear()
        return module.program_digest.__wrapped__()

    monkeypatch.setattr(environment, "__file__", str(tmp_path / "verify" / "environment.py"))
    seen = [digest()]
    for part in ("model", "source", "render", "render/latex", "verify", "export/anki", "grade"):
        (tmp_path / part).mkdir(parents=True)
        (tmp_path / part / "one.txt").write_text("one\n")
        seen.append(digest())
    assert len(set(seen)) == len(seen) - 1
    assert seen[-1] == seen[-2]
    monkeypatch.setattr(module, "installed", lambda: ("markdown_it_py-99.0",))
    assert digest() not in seen
    environment.package_digest.cache_clear()


def test_a_store_without_a_place_keeps_nothing(tmp_path: Path) -> None:
    """No path, or a folder that cannot be made: the deck does without."""
    (tmp_path / "file").write_text("")
    for store in (Store(None), Store(tmp_path / "file" / "store.sqlite3")):
        store.put("a", "key", [Row("a", "question", "t", "f", "0", "", "h")])
        assert store.get("a", "key") is None
        store.close([])
