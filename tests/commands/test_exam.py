"""``cards exam`` as a teacher calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from closedbook.cli import run
from tests.export.exam.kinds import BLUEPRINT, CARDS, EXPERIMENTS, FUNCTIONS
from tests.paper.banks import write_bank


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A bank of every kind of card, whose checks really run."""
    return write_bank(
        tmp_path / "bank",
        {
            "cards/unit/cards.yaml": CARDS.replace("&square", ""),
            "generators/functions/square.py": FUNCTIONS,
            "generators/experiments/gradients.py": EXPERIMENTS,
            "exams/all.yaml": BLUEPRINT,
        },
    )


def exam(bank: Path, *words: str) -> int:
    """The exit code of ``cards exam`` in that bank."""
    return run(["exam", *words, "--bank", str(bank), "--jobs", "1"])


def papers(folder: Path) -> dict[str, bytes]:
    """The files of a folder by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file()}


def test_an_exam_is_printed_recorded_and_printed_again(
    bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Papers land in build/exams; recorded, or from the manifest, the bytes are the same."""
    assert exam(bank, "all", "--record") == 0
    folder = bank / "build" / "exams" / "all"
    first = papers(folder)
    assert sorted(first) == [
        "A-key.pdf", "A.pdf", "B-key.pdf", "B.pdf", "manifest.json", "marking.pdf",
    ]  # fmt: skip
    assert "2 variants, 6 files" in capsys.readouterr().out
    ledger = (bank / "exams" / "ledger.yaml").read_text(encoding="utf-8")
    assert "exam: all" in ledger
    assert "write-square" in ledger
    assert exam(bank, "exams/all.yaml") == 0
    assert papers(folder) == first
    again = tmp_path / "again"
    assert exam(bank, "--from", str(folder / "manifest.json"), "-o", str(again)) == 0
    assert papers(again) == first


def test_another_seed_after_a_record_avoids_what_was_used(
    bank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The pool holds three cards, so all three come again, and a warning says so."""
    assert exam(bank, "all", "--record") == 0
    capsys.readouterr()
    assert exam(bank, "all", "--seed", "12") == 0
    told = capsys.readouterr().err
    assert "section 'Short' uses 3 of recent papers' cards again" in told
    assert "exams/all.yaml:" in told


def test_nothing_is_written_where_a_claim_fails(
    bank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A wrong value ends with exit code 1, names the card's line, and leaves no file."""
    cards = bank / "cards" / "unit" / "cards.yaml"
    cards.write_text(cards.read_text("utf-8").replace("grad: 6", "grad: 7").replace("as 6", "as 7"))
    assert exam(bank, "all") == 1
    assert "expected 7, observed 6" in capsys.readouterr().err
    assert not (bank / "build" / "exams").exists()


def test_a_changed_card_is_not_printed_from_an_old_manifest(
    bank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The card that has changed is named, and nothing is printed."""
    assert exam(bank, "all") == 0
    manifest = bank / "build" / "exams" / "all" / "manifest.json"
    cards = bank / "cards" / "unit" / "cards.yaml"
    cards.write_text(cards.read_text("utf-8").replace("What is wrong with it?", "What is it?"))
    capsys.readouterr()
    assert exam(bank, "--from", str(manifest)) == 1
    told = capsys.readouterr().err
    assert "card 'wrong-square' has changed since the manifest was written" in told


@pytest.mark.parametrize("form", ["moodle", "qti", "html", "latex"])
def test_other_formats_have_a_folder_of_their_own(bank: Path, form: str) -> None:
    """Their files stand below the exam's, with a manifest that tells the same answers."""
    assert exam(bank, "all", "--format", form) == 0
    folder = bank / "build" / "exams" / "all" / form
    assert json.loads((folder / "manifest.json").read_text("utf-8"))["blueprint"] == "all"


def test_a_folder_that_cannot_be_written_is_said_without_a_traceback(
    bank: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file where the folder should be, or a folder where a paper should: one line, no change."""
    (tmp_path / "taken").write_text("")
    assert exam(bank, "all", "-o", str(tmp_path / "taken")) == 1
    assert "cannot write" in capsys.readouterr().err
    (tmp_path / "out" / "B.pdf").mkdir(parents=True)
    assert exam(bank, "all", "-o", str(tmp_path / "out")) == 1
    assert "B.pdf: Is a directory" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["B.pdf"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["al"], "no blueprint 'al' (did you mean 'all'?)"),
        ([], "name a blueprint of exams/, or give --from a manifest.json"),
        (
            ["all", "--from", __file__],
            "--from knows its exam from the manifest: leave the blueprint out",
        ),
        (["all", "--variants", "0"], "0 is not in the range"),
        (["all", "--format", "docx"], "'docx' is not one of"),
    ],
)
def test_wrong_usage_is_told(
    bank: Path, words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2, and what could be meant."""
    assert exam(bank, *words) == 2
    assert says in capsys.readouterr().err


@pytest.mark.parametrize("wish", [["--variants", "3"], ["--seed", "0"], ["--record"]])
def test_a_manifest_takes_no_other_wishes(
    bank: Path, wish: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """What is printed again is what the manifest says; another number of papers is no wish then."""
    manifest = bank / "manifest.json"
    manifest.write_text("{}")
    assert exam(bank, "--from", str(manifest), *wish) == 2
    assert "--from prints what the manifest says" in capsys.readouterr().err


def test_a_blueprint_that_asks_too_much_is_told_before_anything_runs(
    bank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Numbers and the blueprint's line, at exit code 1."""
    path = bank / "exams" / "all.yaml"
    path.write_text(BLUEPRINT.replace("pick: 3", "pick: 5"))
    assert exam(bank, "all") == 1
    assert "exams/all.yaml:9:11: section 'Short' picks 5 of 3 cards" in capsys.readouterr().err
