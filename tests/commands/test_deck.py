"""``cards deck``: exit codes, what is written, what is said."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from closedbook.commands.deck import command
from closedbook.commands.verify import command as verify
from closedbook.export.anki import STORE_NAME
from closedbook.export.anki.lock import Lock
from tests.export.anki.workbench import FIRST_RELEASE, FIXTURES, Workbench, take_out


@pytest.fixture(scope="module")
def receipts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Receipts of the fixture bank, so that each test verifies in no time."""
    store = tmp_path_factory.mktemp("receipts")
    Workbench(tmp_path_factory.mktemp("bank"), store).verified()
    return store


@pytest.fixture
def bench(tmp_path: Path, receipts: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    """A copy of the fixture bank with its receipts, and the current folder in it."""
    bench = Workbench(tmp_path, receipts)
    shutil.copytree(receipts, bench.root / "build")
    monkeypatch.chdir(bench.root)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1780000000")
    return bench


def deck(*words: str | Path) -> Result:
    """Run ``cards deck`` in the current folder."""
    return CliRunner().invoke(command, ["--jobs", "1", *map(str, words)])


def test_the_deck_is_named_after_the_bank_and_the_change_is_said(bench: Workbench) -> None:
    """The deck goes to ``build/<bank id>.apkg``; one edited note is one changed note."""
    done = deck()
    assert done.exit_code == 0, done.output
    assert done.stdout == "build/anki-fixture.apkg: 10 notes, 14 cards (nothing changed)\n"
    bench.edit("linear.yaml", "why: A gradient has", "why: Each gradient has")
    done = deck()
    assert done.stdout == "build/anki-fixture.apkg: 10 notes, 14 cards (1 note changed)\n"
    assert done.stderr == ""


def test_a_verify_leaves_the_notes_for_the_first_deck(bench: Workbench) -> None:
    """``cards verify`` has rendered the notes: one that is taken out of them is not in the deck."""
    done = CliRunner().invoke(verify, ["--jobs", "1"])
    assert done.exit_code == 0, done.output
    take_out(bench.root / "build" / STORE_NAME, "graph")
    assert "9 notes" in deck().stdout


def test_nothing_is_written_where_a_claim_fails(bench: Workbench) -> None:
    """A wrong shape: exit code 1, the place is said, no deck, the lock untouched."""
    lock = (bench.root / "cards.lock").read_bytes()
    bench.edit(
        "linear.yaml",
        "      grad_weight.shape: (3, 4)\n  source: notes",
        "      grad_weight.shape: (4, 3)\n  source: notes",
    )
    done = deck()
    assert done.exit_code == 1
    assert "cards/autograd/linear.yaml:18:26: grad_weight.shape" in done.stderr
    assert not (bench.root / "build" / "anki-fixture.apkg").exists()
    assert (bench.root / "cards.lock").read_bytes() == lock


def test_locked_fails_where_the_lock_is_out_of_date(bench: Workbench) -> None:
    """``--locked`` says what changed, writes nothing, and passes once the lock is right."""
    assert deck("--locked").exit_code == 0
    (bench.root / "build" / "anki-fixture.apkg").unlink()
    bench.edit("saving.yaml", "- id: who-writes\n", "- id: who-writes\n  retired: true\n")
    done = deck("--locked")
    assert done.exit_code == 1
    assert (
        "cards.lock: the lock is out of date: 1 note retired (who-writes/cloze); "
        "run `cards deck` and commit cards.lock" in done.stderr
    )
    assert not (bench.root / "build" / "anki-fixture.apkg").exists()
    assert deck().exit_code == 0
    assert deck("--locked").exit_code == 0


def test_only_and_output_and_format(bench: Workbench, tmp_path: Path) -> None:
    """A text file of one outcome, written where the author wants it."""
    target = tmp_path / "some where" / "saving.tsv"
    done = deck("--only", "outcome:saving", "--format", "tsv", "-o", target)
    assert done.exit_code == 0, done.output
    assert "3 notes, 7 cards" in done.stdout
    assert target.read_text().startswith("#separator:tab\n")


def test_a_selection_that_does_not_exist_is_wrong_usage(bench: Workbench) -> None:
    """``--only tag:liner`` ends in exit code 2 and a guess."""
    done = deck("--only", "tag:liner")
    assert done.exit_code == 2
    assert "the bank has no tag 'liner' (did you mean 'linear'?)" in done.stderr


def test_the_pace_towards_an_exam_is_said(bench: Workbench) -> None:
    """With an exam date the command says how many new cards a day reach every card."""
    unit = bench.path("unit.yaml")
    unit.write_text(unit.read_text() + "exam_on: 2026-05-31\n")
    done = deck()  # SOURCE_DATE_EPOCH is the 28th of May 2026
    assert done.stdout.splitlines()[1] == (
        "Autograd in small: 5 new cards a day reach all 14 cards before the exam on 2026-05-31, "
        "in 3 days"
    )


def test_a_rehearsal_reports_and_its_exit_code_says_whether_anything_is_lost(
    bench: Workbench,
) -> None:
    """An edited text passes with exit code 0; a removed gap is a loss, exit code 1."""
    bench.edit("linear.yaml", "why: A gradient has", "why: Each gradient has")
    done = deck("--rehearse", FIRST_RELEASE)
    assert done.exit_code == 0, done.output
    assert "nothing is lost" in done.stdout
    bench.edit("saving.yaml", "{{c2::`ctx.save_for_backward`}}", "`ctx.save_for_backward`")
    done = deck("--rehearse", FIRST_RELEASE)
    assert done.exit_code == 1
    assert "empty cards, which show an error: who-writes (card 2)" in done.stdout, done.output


def test_a_rehearsal_never_writes_over_the_release_that_it_starts_from(bench: Workbench) -> None:
    """Compared with itself the new deck would lose nothing, whatever it loses."""
    assert deck("-o", "last.apkg").exit_code == 0
    before = (bench.root / "last.apkg").read_bytes()
    done = deck("--rehearse", "last.apkg", "-o", "last.apkg")
    assert done.exit_code == 2
    assert "would write over the release" in done.stderr
    assert (bench.root / "last.apkg").read_bytes() == before


def test_what_is_no_package_cannot_be_rehearsed(bench: Workbench) -> None:
    """Anki's own words, at exit code 1."""
    (bench.root / "junk.apkg").write_text("junk")
    done = deck("--rehearse", "junk.apkg")
    assert done.exit_code == 1
    assert "Anki cannot import junk.apkg" in done.stderr


def test_a_time_that_is_none_is_wrong_usage(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SOURCE_DATE_EPOCH must be a number of seconds."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "today")
    done = deck()
    assert done.exit_code == 2
    assert "SOURCE_DATE_EPOCH is 'today'" in done.stderr


@pytest.mark.parametrize("time", ["1767225600000", "99999999999999999999"])
def test_a_time_in_other_units_is_wrong_usage(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch, time: str
) -> None:
    """Milliseconds are refused: the lock would carry them on, and no learner edits later."""
    monkeypatch.setenv("SOURCE_DATE_EPOCH", time)
    assert deck().exit_code == 2


def test_a_folder_that_cannot_be_written_is_said_without_a_traceback(bench: Workbench) -> None:
    """A file where the output's folder should be: exit code 1 and one line."""
    (bench.root / "taken").write_text("")
    done = deck("-o", "taken/x.apkg")
    assert done.exit_code == 1
    assert "cannot write" in done.stderr
    assert done.exception is None or isinstance(done.exception, SystemExit)


def test_a_folder_of_other_things_is_never_replaced(bench: Workbench) -> None:
    """A folder that is no deck's is refused and left as it is, and no file is put in its place."""
    kept = bench.root / "notes" / "thesis.txt"
    kept.parent.mkdir()
    kept.write_text("years")
    for words in (["--format", "crowdanki"], []):
        done = deck("-o", "notes", *words)
        assert done.exit_code == 1
        assert "cannot write notes: " in done.stderr
        assert ".closedbook-" not in done.stderr
    assert kept.read_text() == "years"


def test_a_crowdanki_folder_keeps_what_stands_beside_the_deck(bench: Workbench) -> None:
    """Written again, the folder has the new deck and its figures, and all that was put beside."""
    assert deck("--format", "crowdanki", "-o", "crowd").exit_code == 0
    crowd = bench.root / "crowd"
    (crowd / ".git").mkdir()
    (crowd / ".git" / "HEAD").write_text("ref")
    (crowd / "media" / "own.png").write_text("own")
    (crowd / "media" / "closedbook-old-0123456789abcdef.svg").write_text("old")
    figures = {path.name for path in (crowd / "media").iterdir() if "-old-" not in path.name}
    bench.edit("linear.yaml", "why: A gradient has", "why: Each gradient has")
    assert deck("--format", "crowdanki", "-o", "crowd").exit_code == 0
    assert "Each gradient has" in (crowd / "deck.json").read_text("utf-8")
    assert (crowd / ".git" / "HEAD").read_text() == "ref"
    assert {path.name for path in (crowd / "media").iterdir()} == figures


def test_a_device_is_not_replaced(bench: Workbench) -> None:
    """What is no ordinary file is refused."""
    os.mkfifo(bench.root / "pipe")
    assert deck("-o", "pipe").exit_code == 1
    assert (bench.root / "pipe").is_fifo()


def test_a_lock_that_cannot_be_written_leaves_the_old_deck(
    bench: Workbench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Deck and lock are both new or both old."""
    assert deck("-o", "x.apkg").exit_code == 0
    before = (bench.root / "x.apkg").read_bytes()
    bench.edit("linear.yaml", "why: A gradient has", "why: Each gradient has")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Lock, "lines", full)  # a disk that is full at that very moment
    assert deck("-o", "x.apkg").exit_code == 1
    assert (bench.root / "x.apkg").read_bytes() == before


def test_the_fixture_bank_is_locked() -> None:
    """The lock of the first release lies beside its cards."""
    assert (FIXTURES / "bank" / "cards.lock").is_file()
