"""The package file: the same bytes everywhere, nothing left behind."""

from __future__ import annotations

import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest

from closedbook.export.anki import write_deck
from closedbook.export.anki.package import _Ids
from closedbook.export.anki.scratch import import_package, scratch_collection
from closedbook.verify.verified import VerifiedBank
from tests.export.anki.workbench import FIRST_TIME, Workbench

PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.export.anki.workbench import Workbench
bench = Workbench(Path(sys.argv[1]), Path(sys.argv[2]))
written, problems = bench.write(Path(sys.argv[3]), release=1767225600)
assert written, problems
"""


def test_two_builds_give_the_same_bytes_whatever_the_machine_is_set_to(
    bench: Workbench, store: Path, small: VerifiedBank, tmp_path: Path
) -> None:
    """Another process, hash seed, time zone, locale and folder: the same file, byte for byte."""
    here = tmp_path / "here.apkg"
    write_deck(small, here, lock=tmp_path / "lock", release=FIRST_TIME)
    (tmp_path / "else where").mkdir()
    there = tmp_path / "there.apkg"
    environment = os.environ | {"PYTHONHASHSEED": "7", "TZ": "Pacific/Apia", "LC_ALL": "C"}
    program = PROGRAM.format(root=str(Path(__file__).parents[3]))
    subprocess.run(
        [sys.executable, "-c", program, tmp_path / "else where", store, there],
        check=True,
        env=environment,
        timeout=120,
    )
    assert there.read_bytes() == here.read_bytes()


def test_a_rebuild_without_a_change_is_the_same_file_at_any_time(
    bench: Workbench, tmp_path: Path
) -> None:
    """A build a year later gives the same bytes and leaves the lock alone."""
    first, second = tmp_path / "a.apkg", tmp_path / "b.apkg"
    bench.release(first)
    lock = (bench.root / "cards.lock").read_bytes()
    bench.time += 365 * 86400
    assert str(bench.release(second).changes) == "nothing changed"
    assert second.read_bytes() == first.read_bytes()
    assert (bench.root / "cards.lock").read_bytes() == lock


def test_the_release_time_is_source_date_epoch_where_it_is_set(
    small: VerifiedBank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The times in the lock and in the package are SOURCE_DATE_EPOCH's."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    write_deck(small, tmp_path / "x.apkg", lock=tmp_path / "lock")
    with zipfile.ZipFile(tmp_path / "x.apkg") as archive:
        archive.extract("collection.anki2", tmp_path)
    connection = sqlite3.connect(tmp_path / "collection.anki2")
    assert connection.execute("select distinct mod from notes").fetchall() == [(1700000000,)]
    connection.close()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(ValueError, match="yesterday"):
        write_deck(small, tmp_path / "y.apkg", lock=tmp_path / "lock")


def test_nothing_stays_in_the_temporary_folder_or_beside_the_deck(
    small: VerifiedBank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Genanki leaves its database behind; we do not."""
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(scratch))
    write_deck(small, tmp_path / "out" / "x.apkg", lock=tmp_path / "lock", release=FIRST_TIME)
    assert list(scratch.iterdir()) == []
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["x.apkg"]


def test_members_have_fixed_times_and_are_compressed(small: VerifiedBank, tmp_path: Path) -> None:
    """What differs between two zips of the same files is given: time, mode, system, order."""
    write_deck(small, tmp_path / "x.apkg", lock=tmp_path / "lock", release=FIRST_TIME)
    with zipfile.ZipFile(tmp_path / "x.apkg") as archive:
        members = archive.infolist()
    assert [member.filename for member in members] == ["collection.anki2", "media", "0"]
    assert {member.date_time for member in members} == {(1980, 1, 1, 0, 0, 0)}
    assert {(member.external_attr, member.create_system) for member in members} == {
        (0o100644 << 16, 3)
    }
    assert members[0].compress_size < members[0].file_size / 3


def test_an_old_deck_stays_where_the_new_one_cannot_be_written(
    bench: Workbench, tmp_path: Path
) -> None:
    """A mistake found while writing leaves deck and lock as they were."""
    deck = tmp_path / "x.apkg"
    bench.release(deck)
    before, lock = deck.read_bytes(), (bench.root / "cards.lock").read_bytes()
    verified = bench.verified()
    bench.path("figures/graph.svg").unlink()
    written, problems = write_deck(verified, deck)
    assert written is None
    assert [str(problem.place) for problem in problems] == ["cards/autograd/saving.yaml:26:5"]
    assert deck.read_bytes() == before
    assert (bench.root / "cards.lock").read_bytes() == lock
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bank", "x.apkg"]


def test_a_temporary_folder_that_is_full_is_said(small: VerifiedBank, tmp_path: Path) -> None:
    """SQLite's word of it is an error of a file, as that of any other write is."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(OSError, match=r"disk.*collection\.anki2"):
            write_deck(small, tmp_path / "x.apkg", lock=tmp_path / "lock", release=FIRST_TIME)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("format", ["apkg", "tsv"])
def test_a_file_that_is_no_deck_is_left_alone(
    small: VerifiedBank, tmp_path: Path, format: str
) -> None:
    """A slip of the pen, ``-o`` with a file of cards; a deck or an empty file is replaced."""
    path = tmp_path / "x"
    for kept in ("- id: card\n", "# What each note"):
        path.write_text(kept)
        with pytest.raises(FileExistsError, match="no deck"):
            write_deck(small, path, lock=tmp_path / "lock", release=FIRST_TIME, format=format)
        assert path.read_text() == kept
    path.write_text("")
    for other in (format, "apkg", "tsv", format):
        write_deck(small, path, lock=tmp_path / "lock", release=FIRST_TIME, format=other)
    assert path.stat().st_size > 5000


@pytest.mark.parametrize("seconds", [[5] * 1500 + [6] * 3, [6] * 3 + [5] * 1500])
def test_a_thousand_notes_of_one_second_take_no_id_of_the_next(seconds: list[int]) -> None:
    """Ids are milliseconds, each once, also where one second has more notes than milliseconds."""
    ids = _Ids()
    given = [ids.next(second) for second in seconds]
    assert len(set(given)) == len(given)
    assert all(one >= second * 1000 for one, second in zip(given, seconds, strict=True))


def test_new_cards_come_in_the_order_of_the_source(small: VerifiedBank, tmp_path: Path) -> None:
    """Anki's queue of new cards follows the files, and no two notes share an id."""
    write_deck(small, tmp_path / "x.apkg", lock=tmp_path / "lock", release=FIRST_TIME)
    with scratch_collection() as collection:
        import_package(collection, tmp_path / "x.apkg")
        rows = collection.db.list(
            "select distinct n.flds from cards c join notes n on n.id = c.nid order by c.due"
        )
        assert collection.db.scalar("select count(distinct due) from cards") == len(rows)
        assert [row.split("\x1f")[0] for row in rows] == [
            "weight-shape",
            "weight-shape-varied",
            "weight-shape-varied#2",
            "linear-backward",
            "linear-backward/1",
            "linear-backward/input",
            "task-linear",
            "who-writes",
            "graph",
            "trap-tensor-on-ctx",
        ]
