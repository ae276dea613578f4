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


def test_two_new_cards_have_two_ids(bank: Path) -> None:
    """Without ``--id`` a new card takes a name that no card has, or has mistakes under, or had."""
    file = bank / "cards" / "first-unit" / "more.yaml"
    file.write_text(
        "- id: new-question-1\n  kind: question\n  awnser: half written\n"
        "- id: renamed\n  was: [new-question-2]\n  kind: question\n  outcome: spot-wrong-factor\n"
        "  ask: What?\n  answer: That.\n  unchecked: a definition\n"
    )
    taken = cards("new", "question", "--id", "new-question-2", cwd=bank)
    assert (taken.returncode, "is taken by" in taken.stderr) == (2, True)
    for number in (3, 4):
        card = cards("new", "question", cwd=bank).stdout
        assert card.startswith(f"- id: new-question-{number}\n")
        with file.open("a", encoding="utf-8") as more:
            more.write(card)
    file.unlink()


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


EXPERIMENTS = """
from typing import Literal

from closedbook import experiment


@experiment
def of_anything(thing: object) -> dict:
    return {"x": 1}


@experiment
def raises(n: int) -> dict:
    if n:
        raise ValueError(n)
    return {"n": n}


@experiment
def sums(a: float, words: list[str], how: Literal["up", "down"]) -> dict:
    return {"long": "x" * 99, "sum": a + 0.25, "first": words[0], "how": how}
"""


@pytest.fixture
def plain_bank(tmp_path: Path) -> Path:
    """A bank of plain Python: a unit, and experiments without a Function."""
    for folder in ("cards/sums", "generators"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "cards/bank.yaml").write_text("id: sums\ntitle: Sums\n")
    (tmp_path / "cards/sums/unit.yaml").write_text("title: S\ndeck: S\noutcomes: {add: Add.}\n")
    (tmp_path / "generators/sums.py").write_text(EXPERIMENTS)
    return tmp_path


def test_a_bank_without_functions_has_cards_to_start_from(plain_bank: Path) -> None:
    """Each kind but the task is about an experiment that runs, and holds as it is printed."""
    for kind in sorted(set(KINDS) - {"task"}):
        card = cards("new", kind, cwd=plain_bank)
        assert (card.returncode, card.stderr) == (0, "")
        assert "run: sums" in card.stdout
        (plain_bank / f"cards/sums/{kind}.yaml").write_text(card.stdout, encoding="utf-8")
    done = cards("verify", cwd=plain_bank)
    assert done.returncode == 0, done.stdout
    assert done.stdout.startswith("4 cards, ")
    task = cards("new", "task", cwd=plain_bank)
    assert (task.returncode, task.stdout) == (1, "")
    assert "a task is graded against a torch.autograd.Function" in task.stderr


def test_an_experiment_that_cannot_be_tried_out_is_told(plain_bank: Path) -> None:
    """Where no arguments come to mind, the card has places to fill in, and that is said."""
    (plain_bank / "generators/sums.py").write_text(EXPERIMENTS.split("@experiment\ndef raises")[0])
    card = cards("new", "question", cwd=plain_bank)
    assert "run: of_anything\n    with:\n      thing: its value\n" in card.stdout
    assert "holds once" in card.stderr
    (plain_bank / "generators/sums.py").unlink()
    assert "nothing that a card could run" in cards("new", "trap", cwd=plain_bank).stderr


@pytest.mark.parametrize(
    ("card_id", "told"),
    [
        ("square-grad-shape", "is taken by cards/first-unit/square.yaml:"),
        ("Bad Id", "an id is lower-case letters, digits and hyphens: 'bad-id', say"),
        ("é", "an id is lower-case letters, digits and hyphens\n"),
    ],
)
def test_an_id_that_no_card_can_have_is_refused(bank: Path, card_id: str, told: str) -> None:
    """A taken id and one of the wrong form are wrong usage, with advice."""
    done = cards("new", "question", "--id", card_id, cwd=bank)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr
