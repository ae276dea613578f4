"""Starting a bank and a card."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.model.kinds import KINDS
from tests.commands.test_cli import cards


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A bank as ``cards init`` makes it."""
    folder = tmp_path_factory.mktemp("banks")
    done = cards("init", "My Bank", cwd=folder)
    assert done.returncode == 0, done.stderr
    return folder / "My Bank"


def test_init_makes_a_bank_that_builds(bank: Path) -> None:
    """A new bank verifies, and gives a deck and an exam with its keys."""
    done = cards("build", cwd=bank)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (bank / "build" / "my-bank.apkg").is_file()
    assert {"A.pdf", "A-key.pdf", "B.pdf", "B-key.pdf", "manifest.json"} <= {
        path.name for path in (bank / "build" / "exams" / "first-unit").iterdir()
    }


def test_init_shows_every_kind(bank: Path) -> None:
    """The new bank holds a card of each kind."""
    listed = cards("list", cwd=bank).stdout
    assert all(f"  {kind} " in listed for kind in KINDS)


def test_the_help_shows_the_line_to_type() -> None:
    """The example stands on a line of its own, without the mark that keeps it there."""
    lines = cards("new", "--help", cwd=Path()).stdout.splitlines()
    assert "    cards new question --id my-card >> cards/my-unit/my-cards.yaml" in lines


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_a_new_card_verifies_as_printed(bank: Path, kind: str) -> None:
    """What ``cards new`` prints is a card that holds, in the bank that it was printed for."""
    card = cards("new", kind, "--id", f"made-{kind}", cwd=bank)
    assert card.returncode == 0, card.stderr
    file = bank / "cards" / "first-unit" / f"{kind}.yaml"
    file.write_text(card.stdout, encoding="utf-8")
    done = cards("verify", str(file), cwd=bank)
    file.unlink()
    assert done.returncode == 0, done.stdout + done.stderr


def test_init_spares_what_is_there(tmp_path: Path) -> None:
    """A folder that holds something is left as it is, with exit code 2."""
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "mine.txt").write_text("mine", encoding="utf-8")
    done = cards("init", "bank", cwd=tmp_path)
    assert done.returncode == 2
    assert [path.name for path in (tmp_path / "bank").iterdir()] == ["mine.txt"]


def test_init_in_a_fresh_repository(tmp_path: Path) -> None:
    """Beside .git, a README and a .gitignore a bank is made here, and nothing of them is lost."""
    (tmp_path / ".git").mkdir()
    for name in ("README.md", ".gitignore"):
        (tmp_path / name).write_text("mine\n", encoding="utf-8")
    done = cards("init", ".", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, ". is a bank. Now:\n\n    cards build\n\n")
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {".git", ".gitignore", "README.md", "cards", "exams", "generators"}
    ignored = (tmp_path / ".gitignore").read_text(encoding="utf-8").splitlines()
    assert (ignored[0], "build/" in ignored) == ("mine", True)
    assert "all hold" in cards("verify", cwd=tmp_path).stdout


def test_init_example_copies_the_bank(tmp_path: Path) -> None:
    """``--example`` copies the bank on custom autograd Functions, and the state of its notes."""
    assert cards("init", "copy", "--example", cwd=tmp_path).returncode == 0
    assert "linear-grad-shapes" in cards("list", cwd=tmp_path / "copy").stdout
    assert (tmp_path / "copy" / "cards.lock").is_file()


def test_a_new_question_runs_an_experiment_where_there_is_no_reference(bank: Path) -> None:
    """In a bank without references `cards new question` prints a card about an experiment."""
    square = bank / "generators" / "functions" / "square.py"
    text = square.read_text(encoding="utf-8")
    square.unlink()
    try:
        card = cards("new", "question", cwd=bank)
        trap = cards("new", "trap", cwd=bank)
    finally:
        square.write_text(text, encoding="utf-8")
    assert "run: gradient_at\n    with:\n      function: its value\n" in card.stdout
    assert trap.returncode == 1
    assert "no @reference for a trap" in trap.stderr
