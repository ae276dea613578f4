"""A class is graded side by side: who handed in what, and one table for all."""

from __future__ import annotations

import csv
import io
import json
import os
import shutil
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from closedbook.cli import cards
from closedbook.grade import Assignment, Grade, Sandbox, grade_class, handed_in
from closedbook.grade.report import html, machine
from closedbook.grade.text.attempt import read_attempt
from tests.grade.conftest import GALLERY, Judge

BANK = Path(__file__).parent / "bank"


def grade(*words: str | Path, task: str = "task-linear") -> Result:
    """Run ``cards grade``."""
    command = ["grade", task, *map(str, words), "--bank", str(BANK), "--jobs", "2"]
    return CliRunner().invoke(cards, command)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five learners: right, wrong, gone, a folder with both halves, a name full of markup."""
    made = tmp_path_factory.mktemp("class")
    shutil.copy(GALLERY / "right" / "separate.py", made / "ada.py")
    shutil.copy(GALLERY / "wrong" / "tensors_on_ctx.py", made / "bob.py")
    shutil.copy(GALLERY / "hostile" / "exits_on_import.py", made / "eve.py")
    shutil.copy(GALLERY / "right" / "einsum.py", made / "=<b>x.py")
    (made / "dan").mkdir()
    shutil.copy(GALLERY / "right" / "operators.py", made / "dan" / "linear.py")
    shutil.copy(GALLERY / "right" / "operators.py", made / "dan" / "broken.py")
    (made / "dan" / "quote.txt").write_text("none")
    (made / ".hidden.py").write_text("")
    return made


def test_who_handed_in_what(folder: Path) -> None:
    """Files and folders are attempts; hidden ones are not."""
    found = {given.name: given for given in handed_in(folder, "linear.py")}
    assert sorted(found) == ["=<b>x", "ada", "bob", "dan", "eve"]
    assert found["dan"].attempt.name == "linear.py"
    assert found["dan"].broken is not None
    assert found["dan"].quote == "none"


@pytest.fixture(scope="module")
def grades(folder: Path, assignments: dict[str, Assignment], sandbox: Sandbox) -> Sequence[Grade]:
    """The class, graded two at a time."""
    class_ = handed_in(folder, "linear.py")
    return grade_class(assignments["task-linear"], class_, sandbox, jobs=2, seed=3)


def test_no_two_learners_go_by_one_name(tmp_path: Path) -> None:
    """A file and a folder of one name, and names that read the same, are told apart."""
    (tmp_path / "ada").mkdir()
    for name in ("ada.py", "ada/linear.py", "e ve.py", "e\nve.py", "bob.py"):
        (tmp_path / name).write_text("x = 1")
    names = [given.name for given in handed_in(tmp_path, "linear.py")]
    assert sorted(names) == ["ada.py", "ada/", "bob", "e ve.py", "e\\nve.py"]


def test_names_that_are_no_text_can_be_written(tmp_path: Path) -> None:
    """A name of bytes that are not UTF-8 is in every report, and in the file of ``-o``."""
    (tmp_path / os.fsdecode(b"\xff.py")).write_bytes(b"")
    (given,) = handed_in(tmp_path, "linear.py")
    assert given.name == "\\xff"
    result = grade(tmp_path, "--format", "json", "-o", tmp_path / "report.json")
    assert result.exit_code == 1
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))[0]["attempt"] == "\\xff"


def test_a_link_to_a_folder_is_an_attempt_that_cannot_be_read(tmp_path: Path) -> None:
    """A learner whose folder is a link is in the table, and nothing behind the link is read."""
    (tmp_path / "other").mkdir()
    shutil.copy(GALLERY / "right" / "separate.py", tmp_path / "other" / "linear.py")
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "mallory").symlink_to(tmp_path / "other")
    (tmp_path / "class" / "round").symlink_to("round")
    (given,) = handed_in(tmp_path / "class", "linear.py")
    assert given.name == "mallory"
    assert "symbolic link" in read_attempt(given.attempt).fault


def test_a_class_as_csv(grades: Sequence[Grade]) -> None:
    """A row a learner, and no name that a spreadsheet would run."""
    rows = {row["attempt"]: row for row in csv.DictReader(io.StringIO(machine.to_csv(grades)))}
    assert rows["ada"]["earned"] == "17"
    assert rows["bob"]["earned"] == "14"
    assert rows["bob"]["freed"] == "0"
    assert rows["eve"]["earned"] == "0"
    assert (rows["dan"]["earned"], rows["dan"]["points"]) == ("17", "20")
    assert "'=<b>x" in rows


def test_a_class_as_a_table(folder: Path) -> None:
    """One line a learner, the reason where everything was lost, 80 columns."""
    result = grade(folder)
    assert result.exit_code == 1
    assert "2 of 5 with full marks" in result.stdout
    assert "everything: line 4 uses `os`" in " ".join(result.stdout.split())
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_a_class_as_html(grades: Sequence[Grade]) -> None:
    """One page without scripts or other files, every stranger's text escaped."""
    page = html.to_html(grades, "full")
    assert "<script" not in page
    assert "=&lt;b&gt;x" in page
    assert "http" not in page
    assert page.count("<section") == 5


def test_a_class_as_junit(grades: Sequence[Grade]) -> None:
    """A suite a learner, a failure a lost point."""
    root = ET.fromstring(machine.to_junit(grades, "full"))  # noqa: S314  our own text
    suites = {suite.get("name"): suite for suite in root}
    assert suites["bob"].get("failures") == "3"
    assert suites["ada"].get("failures") == "0"


def test_a_class_as_json(grades: Sequence[Grade]) -> None:
    """Exact points, and for each lost point the line and the card."""
    told = {grade["attempt"]: grade for grade in json.loads(machine.to_json(grades, "full"))}
    assert told["bob"]["earned"] == "14"
    lost = [mark for mark in told["bob"]["marks"] if mark["why"]]
    assert lost[0]["why"]["line"] == 16
    assert lost[0]["why"]["trap"] == "trap-on-ctx"


def test_one_attempt_as_text(folder: Path) -> None:
    """Points, expectation, what was seen, the line as it stands, the card, the walls."""
    result = grade(folder / "bob.py")
    assert result.exit_code == 1
    for words in (
        "14 of 17 points",
        "seen         a tensor on ctx.input",
        "line 16      ctx.input = input",
        "explained by cards show trap-on-ctx",
        "Walls that held:",
    ):
        assert words in result.stdout


def test_brief_feedback_keeps_the_probe_to_the_teacher(judge: Judge) -> None:
    """No inputs, no values, no seed: only which point, and the attempt's own line."""
    wrong = (GALLERY / "wrong" / "zero_bias_gradient.py").read_text("utf-8")
    given = judge(wrong, seed=5)
    full, brief = (machine.to_json([given], feedback) for feedback in ("full", "brief"))
    assert "drawn sizes" in full
    assert '"seed": 5' in full
    for words in ("drawn sizes", '"seed"', "tensor(", "0.00"):
        assert words not in brief
    assert "grad_bias" in brief


def test_a_second_half_that_is_missing_is_said(folder: Path) -> None:
    """Points that leave out the second half do not look like all there is."""
    alone = grade(folder / "bob.py")
    assert "second half" not in alone.stdout
    assert "not counted: the second half (3 points), which was not given" in alone.stderr


def test_another_system_is_told_that_grading_needs_linux(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the sandbox cannot be made, nothing is run, and that is no mark."""
    monkeypatch.setattr("sys.platform", "darwin")
    result = grade(folder / "ada.py")
    assert result.exit_code == 2
    assert "grading needs Linux" in result.stderr


def test_brief_feedback_stays_a_sentence(judge: Judge) -> None:
    """Where a shape is kept back, its place shows."""
    unsummed = (GALLERY / "wrong" / "missing_sum.py").read_text("utf-8")
    brief = machine.to_json([judge(unsummed)], "brief")
    assert "grad_bias of shape …" in brief
    assert "shape …, which autograd sums to … in silence" in brief


def test_a_seed_draws_the_same_again(judge: Judge) -> None:
    """The seed of a report gives the same inputs, so the same words."""
    wrong = (GALLERY / "wrong" / "sign_of_grad_input.py").read_text("utf-8")
    assert judge(wrong, seed=9).marks == judge(wrong, seed=9).marks
    assert judge(wrong, seed=9).marks != judge(wrong, seed=10).marks


def test_the_second_half_by_command(tmp_path: Path) -> None:
    """``--broken`` and ``--quote`` add their points; full marks exit with 0; ``-o`` writes."""
    right = GALLERY / "right" / "separate.py"
    broken = tmp_path / "broken.py"
    broken.write_text(right.read_text("utf-8").replace("grad_output.sum(0)", "grad_output[0] * 0"))
    quote = tmp_path / "quote.txt"
    quote.write_text("Jacobian mismatch for output 0 with respect to input 2,")
    page = tmp_path / "deep" / "report.json"
    words = ["--broken", broken, "--quote", f"@{quote}", "--format", "json", "-o", page]
    result = grade(right, *words)
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert json.loads(page.read_text("utf-8"))[0]["earned"] == "20"


@pytest.mark.parametrize(
    ("words", "task", "said"),
    [
        (["nowhere.py"], "task-linear", "nowhere.py: no such file"),
        (["x.py"], "task-liner", "did you mean 'task-linear'?"),
        (["x.py"], "trap-on-ctx", "is a trap, not a task"),
        (["x.py", "--broken", "y.py"], "task-mul", "asks for no broken version"),
        (["x.py", "--quote", "@z"], "task-linear", "No such file"),
    ],
)
def test_wrong_usage_exits_with_2(
    words: list[str], task: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be meant is said before anything runs."""
    monkeypatch.chdir(tmp_path)
    Path("x.py").write_text("x = 1")
    result = grade(*words, task=task)
    assert result.exit_code == 2
    assert said in result.output


def test_an_empty_folder_is_no_class(tmp_path: Path) -> None:
    """A folder without attempts is a mistake, not full marks for nobody."""
    result = grade(tmp_path)
    assert result.exit_code == 2
    assert "holds no attempt" in result.output
