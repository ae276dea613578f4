"""The store of receipts: whole, or not at all."""

from __future__ import annotations

import contextlib
import json
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from closedbook.problem import Place
from closedbook.verify.job import Outcome, encode_outcome
from closedbook.verify.receipts.keys import key_of
from closedbook.verify.receipts.store import NAME, Receipts, _checksum

HELD = Outcome(
    "a" * 40,
    holds=True,
    facts={"shape": (3, 4), "values": [1.0, float("-inf")], "none": None, "deep": {"x": "ä"}},
    quote="text",
    seconds=0.5,
    place=Place("generators/a.py", 3),
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where a store is to lie."""
    return tmp_path / "build" / NAME


def test_what_held_is_found_again(path: Path) -> None:
    """An outcome comes back as it was put, in another connection too."""
    store = Receipts(path)
    store.put([HELD])
    assert store.get([HELD.key, "b" * 40]) == {HELD.key: HELD}
    store.close()
    assert Receipts(path).get([HELD.key]) == {HELD.key: HELD}


def test_what_failed_is_not_kept(path: Path) -> None:
    """A failure is run again each time: it may have been the machine's."""
    store = Receipts(path)
    store.put([Outcome("k", holds=False, error="no")])
    with contextlib.closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM receipts").fetchone() == (0,)
    assert store.get(["k"]) == {}


@pytest.mark.parametrize(
    "damage", [b"", b"no database at all" * 100, b"SQLite format 3\0junk" * 99]
)
def test_a_damaged_file_is_dropped(path: Path, damage: bytes) -> None:
    """A file that is no database is replaced, with a note; an empty one is simply new."""
    path.parent.mkdir()
    path.write_bytes(damage)
    store = Receipts(path)
    assert store.get([HELD.key]) == {}
    store.put([HELD])
    assert store.get([HELD.key]) == {HELD.key: HELD}
    assert ["dropped" in note for note in store.notes] == ([True] if damage else [])


def test_pages_overwritten_in_the_middle(path: Path) -> None:
    """Damage deep in the file loses receipts, and invents none."""
    store = Receipts(path)
    outcomes = {key_of({"n": n}): n for n in range(3000)}
    store.put([Outcome(key, holds=True, facts={"n": n}) for key, n in outcomes.items()])
    store.close()
    data = bytearray(path.read_bytes())
    for at in range(8192, len(data), 16384):
        data[at : at + 3000] = b"\xa5" * 3000
    path.write_bytes(data)
    store = Receipts(path)
    found = store.get(list(outcomes))
    assert len(found) < len(outcomes)
    assert all(outcome.facts == {"n": outcomes[key]} for key, outcome in found.items())
    assert store.notes


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("outcome", json.dumps({"holds": True})),
        ("outcome", "not json"),
        ("outcome", b"\xff\xfe"),
        ("used", "long ago"),
        ("checksum", "0" * 16),
    ],
)
def test_a_damaged_row_is_dropped(path: Path, column: str, value: object) -> None:
    """A row whose checksum does not fit, or that is no row of ours, is forgotten, with a note.

    The others stand.
    """
    other = Outcome("b" * 40, holds=True, facts={"n": 1})
    store = Receipts(path)
    store.put([HELD, other])
    with sqlite3.connect(path) as connection:
        connection.execute(f"UPDATE receipts SET {column} = ? WHERE key = ?", (value, HELD.key))  # noqa: S608 - a column of this test
    connection.close()
    assert store.get([HELD.key, other.key]) == {other.key: other}
    assert store.notes == ["1 damaged receipts were dropped"]


def test_text_that_is_no_text(path: Path) -> None:
    """Bytes that are no UTF-8 cost their own row, and the store goes on being kept."""
    other = Outcome("b" * 40, holds=True, facts={"n": 1})
    store = Receipts(path)
    store.put([HELD, other])
    with sqlite3.connect(path) as connection:
        connection.execute(
            "UPDATE receipts SET outcome = CAST(x'7bff7d' AS TEXT) WHERE key = ?", (HELD.key,)
        )
    connection.close()
    assert store.get([HELD.key, other.key]) == {other.key: other}
    store.put([HELD])
    assert set(Receipts(path).get([HELD.key, other.key])) == {HELD.key, other.key}


def test_a_receipt_of_what_failed_is_none(path: Path) -> None:
    """A row that says of itself that its check does not hold is no receipt, whoever wrote it."""
    kept = Receipts(path)
    text = json.dumps(encode_outcome(HELD) | {"holds": False})
    kept.put([HELD])
    with sqlite3.connect(path) as connection:
        row = (text, _checksum(HELD.key, text))
        connection.execute("UPDATE receipts SET outcome = ?, checksum = ?", row)
    connection.close()
    assert kept.get([HELD.key]) == {}


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE receipts RENAME COLUMN outcome TO other",
        "DROP TABLE receipts",
        "DROP TABLE receipts; CREATE VIEW receipts AS SELECT 1 AS key",
        "CREATE TRIGGER t BEFORE INSERT ON receipts BEGIN SELECT RAISE(ABORT, 'no'); END",
    ],
)
def test_a_store_of_another_form_is_dropped(path: Path, change: str) -> None:
    """A database that takes or gives no rows is replaced, and what was to be kept is kept."""
    Receipts(path).close()
    connection = sqlite3.connect(path)
    connection.executescript(change)
    connection.close()
    store = Receipts(path)
    store.get([HELD.key])
    store.put([HELD])
    assert Receipts(path).get([HELD.key]) == {HELD.key: HELD}


def test_a_damaged_store_that_cannot_be_dropped(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the right to remove it is missing, receipts live in memory."""
    path.parent.mkdir()
    path.write_bytes(b"no database at all" * 100)

    def refuse(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)  # root may remove any file
    store = Receipts(path)
    store.put([HELD])
    assert store.get([HELD.key]) == {HELD.key: HELD}
    assert path.read_bytes().startswith(b"no database")
    assert len(store.notes) == 1


def test_a_receipt_moved_to_another_key(path: Path) -> None:
    """A receipt says nothing of another check, even where its row says so."""
    store = Receipts(path)
    store.put([HELD])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE receipts SET key = 'other'")
    connection.close()
    assert store.get(["other"]) == {}


def test_no_place_to_write(tmp_path: Path) -> None:
    """Where nothing can be written, receipts live in memory, with a note."""
    (tmp_path / "build").write_text("a file, not a folder")
    store = Receipts(tmp_path / "build" / NAME)
    store.put([HELD])
    assert store.get([HELD.key]) == {HELD.key: HELD}
    [note] = store.notes
    assert note.startswith("receipts are not kept")


def test_two_runs_at_once(path: Path) -> None:
    """Processes that write the same store at the same time lose nothing."""
    program = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from closedbook.verify.job import Outcome
        from closedbook.verify.receipts.store import Receipts
        store = Receipts(Path(sys.argv[1]))
        for n in range(40):
            store.put([Outcome(f"{sys.argv[2]}-{n}", holds=True), Outcome(f"both-{n}", holds=True)])
        assert not store.notes, store.notes
        """
    )
    runs = [
        subprocess.Popen([sys.executable, "-c", program, str(path), name]) for name in ("x", "y")
    ]
    assert [run.wait(60) for run in runs] == [0, 0]
    keys = [f"{name}-{n}" for name in ("x", "y", "both") for n in range(40)]
    assert set(Receipts(path).get(keys)) == set(keys)


def test_old_receipts_are_pruned(path: Path) -> None:
    """What no run has asked for in three months goes; what was asked for lately stays."""
    store = Receipts(path)
    store.put([HELD, Outcome("old", holds=True)])
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE receipts SET used = used - 91 WHERE key = 'old'")
        connection.execute("UPDATE receipts SET used = used - 89 WHERE key != 'old'")
    connection.close()
    assert set(store.get([HELD.key])) == {HELD.key}
    store.prune()
    assert set(store.get([HELD.key, "old"])) == {HELD.key}


def test_a_receipt_that_is_asked_for_stays(path: Path) -> None:
    """What a run asks for counts as used on that day, however old it is."""
    store = Receipts(path)
    store.put([HELD])
    for asks in (True, False):
        with sqlite3.connect(path) as connection:
            connection.execute("UPDATE receipts SET used = used - 60")
        connection.close()
        if asks:
            store.get([HELD.key])
    store.prune()
    assert set(store.get([HELD.key])) == {HELD.key}


def test_a_store_of_another_layout_starts_anew(path: Path) -> None:
    """Rows that another version of this program has laid out are dropped, and new ones kept."""
    store = Receipts(path)
    store.put([HELD])
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    store = Receipts(path)
    assert store.get([HELD.key]) == {}
    store.put([HELD])
    assert Receipts(path).get([HELD.key]) == {HELD.key: HELD}
    assert store.notes == []


def test_fresh_knows_only_its_own(path: Path) -> None:
    """With `fresh` the receipts of other runs do not exist, and its own are kept for the next."""
    other = Outcome("b" * 40, holds=True)
    Receipts(path).put([HELD])
    store = Receipts(path, fresh=True)
    store.put([other])
    assert store.get([HELD.key, other.key]) == {other.key: other}
    store.put([HELD])
    assert set(store.get([HELD.key, other.key])) == {HELD.key, other.key}
    assert set(Receipts(path).get([HELD.key, other.key])) == {HELD.key, other.key}
