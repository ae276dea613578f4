"""A bank's folder becomes a bank."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path

from closedbook.source import load_bank
from tests.source.banks import BANK, bank_with
from tests.source.builders import CARD


def test_draws_may_be_left_to_who_draws_next(tmp_path: Path) -> None:
    """What only a draw shows is then told of retired cards alone, which nobody draws."""
    wrong = CARD.replace("run: LinearFunction", "run: LinearFunctoin")
    retired = wrong.replace("id: linear-shapes", "id: retired\n  retired: true")
    _, all_of_it = bank_with(tmp_path, wrong + retired)
    _, rest = load_bank(tmp_path, drawn=False)
    assert [problem.card for problem in all_of_it] == ["linear-shapes", "retired"]
    assert [problem.card for problem in rest] == ["retired"]


def test_a_bank_holds_what_its_files_say(tmp_path: Path) -> None:
    """Units, cards in source order, blueprints, generators, and the digest of every file."""
    bank, problems = bank_with(
        tmp_path,
        CARD + CARD.replace("id: linear-shapes", "id: again"),
        cards__linear__a_first_yaml=CARD.replace("id: linear-shapes", "id: first"),
        cards__another__unit_yaml="title: A\ndeck: D\noutcomes: {derive-linear-shapes: X}\n",
        cards__another__z_yaml=CARD.replace("id: linear-shapes", "id: elsewhere"),
        exams__final_yaml="title: Final\nminutes: 60\nsections:\n  - title: All\n    pick: 1\n"
        "    from: {unit: linear}\n    points: 1/2\n",
    )
    assert problems == []
    assert bank.info.id == "problems"
    assert [unit.id for unit in bank.units] == ["another", "linear"]
    assert [card.id for card in bank.cards] == ["elsewhere", "first", "linear-shapes", "again"]
    assert [card.unit.id for card in bank.cards] == ["another", "linear", "linear", "linear"]
    assert [blueprint.id for blueprint in bank.blueprints] == ["final"]
    assert set(bank.generators) == {"LinearFunction", "Square", "SquareOnCtx", "lifetime_of_saved"}
    assert bank.card("again") is bank.cards[3]
    assert bank.cards[3].folder == tmp_path / "cards/linear"
    assert str(bank.cards[3].origin.place()) == "cards/linear/cards.yaml:13:3"
    files = sorted(p for p in tmp_path.rglob("*") if p.suffix in (".yaml", ".py"))
    assert {path.relative_to(tmp_path).as_posix() for path in files} == set(bank.digests)
    for path in files:
        name = path.relative_to(tmp_path).as_posix()
        assert bank.digests[name] == hashlib.sha256(path.read_bytes()).hexdigest()


def test_what_lies_beside_the_generators_is_known_by_its_bytes(tmp_path: Path) -> None:
    """A table is digested, one elsewhere too; no hidden file or cache; a pipe is not waited for."""
    folder = tmp_path / "bank/generators"
    folder.mkdir(parents=True)
    (tmp_path / "far.csv").write_text("1,2\n")
    (folder / "far.csv").symlink_to(tmp_path / "far.csv")
    (folder / "lost.csv").symlink_to(tmp_path / "lost.csv")
    (folder / ".hidden").write_text("x")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__/functions.cpython-313.pyc").write_bytes(b"compiled")
    os.mkfifo(folder / "pipe")
    (folder / "tables").mkdir()
    (folder / "tables/near.csv").write_text("3,4\n")
    bank, problems = bank_with(tmp_path / "bank", CARD)
    assert not problems
    found = {path: bank.digests[path] for path in bank.digests if not path.endswith(("py", "yaml"))}
    far, near, none = (hashlib.sha256(data).hexdigest() for data in (b"1,2\n", b"3,4\n", b""))
    assert found == {
        "generators/far.csv": far,
        "generators/lost.csv": none,
        "generators/pipe": none,
        "generators/tables/near.csv": near,
    }


def test_an_alias_to_another_card_of_a_broken_file_is_no_second_mistake(tmp_path: Path) -> None:
    """Where cards of a file share a text, what is broken is told, and nothing of the others."""
    shared = CARD.replace("ask: Which", "ask: &which Which")
    broken = CARD.replace("linear-shapes", "broken").replace("answer: ", "answer: [")
    uses = CARD.replace("linear-shapes", "uses").replace("ask: Which shape", "ask: *which #")
    _, problems = bank_with(tmp_path, shared + broken + uses)
    assert [problem.place.line for problem in problems if "which" in problem.message] == []
    assert len(problems) == 1


def test_a_broken_file_leaves_the_others_checked(tmp_path: Path) -> None:
    """What could be read is in the bank, and the mistakes of every file are told."""
    bank, problems = bank_with(
        tmp_path,
        CARD,
        cards__linear__b_yaml="- id: [",
        cards__linear__c_yaml=CARD.replace("answer:", "awnser:").replace("linear-shapes", "third"),
        generators__broken_py="def (:",
        exams__final_yaml="title:",
    )
    assert [card.id for card in bank.cards] == ["linear-shapes"]
    assert [problem.place.path for problem in problems] == [
        "cards/linear/b.yaml",
        "cards/linear/c.yaml",
        "exams/final.yaml",
        "exams/final.yaml",
        "exams/final.yaml",
        "generators/broken.py",
    ]


def test_reading_does_not_import_torch_or_the_bank() -> None:
    """A bank is read without running anything of it, and without torch."""
    program = (
        "import sys, pathlib; from closedbook.source import load_bank;"
        f"bank, _ = load_bank(pathlib.Path({str(BANK)!r}));"
        "print(len(bank.generators), 'torch' in sys.modules,"
        " any(n.startswith('generators') for n in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.split() == ["4", "False", "False"]


def test_problems_stand_in_the_order_of_files_and_lines(tmp_path: Path) -> None:
    """The order of files, then of lines: as one mends them."""
    shuffled = CARD.replace("derive-linear-shapes", "nothing").replace("(5, 4)", "(5, 4")
    _, problems = bank_with(tmp_path, shuffled + CARD)
    lines = [problem.place.line for problem in problems]
    assert lines == sorted(lines)
    assert len(lines) == 3


def test_a_folder_without_cards_is_no_bank(tmp_path: Path) -> None:
    """The bank is None, and why is told."""
    bank, problems = load_bank(tmp_path)
    assert bank is None
    assert [str(problem) for problem in problems] == [
        "cards: there is no folder 'cards' here: this is no bank"
    ]
