"""``cards grade`` as a learner and a teacher call it."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from closedbook.cli import cards, run
from closedbook.grade import handed_in
from closedbook.grade.probes import TABLE
from tests.grade.material import BANK, GALLERY, class_of_five


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of five learners."""
    return class_of_five(tmp_path_factory.mktemp("class"))


def grade(*words: str | Path, task: str = "task-linear") -> Result:
    """Run ``cards grade``."""
    command = ["grade", task, *map(str, words), "--bank", str(BANK), "--jobs", "2"]
    return CliRunner().invoke(cards, command)


def test_a_class_as_a_table(folder: Path) -> None:
    """One line a learner, the reason where everything was lost, 80 columns."""
    result = grade(folder)
    assert result.exit_code == 1
    assert "2 of 5 with full marks" in result.stdout
    assert "everything: line 4 uses `os`" in " ".join(result.stdout.split())
    assert max(map(len, result.stdout.splitlines())) <= 80


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


def test_the_time_of_an_attempt_is_asked_for(tmp_path: Path) -> None:
    """``--seconds`` is the limit that an endless loop is told of."""
    (tmp_path / "loop.py").write_text("while True: pass", encoding="utf-8")
    result = grade(tmp_path / "loop.py", "--seconds", "1.5")
    assert result.exit_code == 1
    # What is left of them for the import, which comes first.
    said = " ".join(result.stdout.split())
    assert re.search(r"no answer within [01](\.\d+)? s of wall time", said), said


def test_names_that_are_no_text_can_be_written(tmp_path: Path) -> None:
    """A name of bytes that are not UTF-8 is in every report, and in the file of ``-o``."""
    (tmp_path / os.fsdecode(b"\xff.py")).write_bytes(b"")
    (given,) = handed_in(tmp_path, "linear.py")
    assert given.name == "\\xff"
    result = grade(tmp_path, "--format", "json", "-o", tmp_path / "report.json")
    assert result.exit_code == 1
    assert json.loads((tmp_path / "report.json").read_text("utf-8"))[0]["attempt"] == "\\xff"


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


def test_a_sandbox_that_does_not_start_is_no_mark(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody was graded: that is neither a point lost nor a bug, and the reason is words."""
    monkeypatch.setattr("closedbook.grade.sandbox.walls.INSIDE", tmp_path)
    result = grade(folder / "ada.py")
    assert result.exit_code == 2
    assert result.stdout == ""
    said = "Error: nothing was graded: Python with torch did not start in the sandbox: "
    assert said in result.stderr
    assert "zygote.py" in result.stderr
    assert "['" not in result.stderr


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


def test_a_bug_of_closedbook_is_no_grade(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where a probe fails by itself, nobody loses points: it is reported as a bug, with a log."""

    def fault(_: object) -> None:
        raise LookupError("a row that is not there")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setitem(TABLE, "shapes", fault)
    attempt = GALLERY / "right" / "separate.py"
    assert run(["grade", "task-linear", str(attempt), "--bank", str(BANK)]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert "a bug of closedbook" in said.err
    assert "LookupError: a row that is not there" in said.err
    assert "in _class" in (tmp_path / "closedbook" / "error.log").read_text("utf-8")


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
