"""Every form of report says the same of a class, each in its own way."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from closedbook.grade import Assignment, Grade, Sandbox, grade_class, handed_in
from closedbook.grade.report import html, machine
from closedbook.grade.verdict import Remark
from tests.grade.conftest import Judge
from tests.grade.material import GALLERY


@pytest.fixture(scope="module")
def grades(folder: Path, assignments: dict[str, Assignment], sandbox: Sandbox) -> Sequence[Grade]:
    """The class, graded two at a time."""
    class_ = handed_in(folder, "linear.py")
    return grade_class(assignments["task-linear"], class_, sandbox, jobs=2, seed=3)


def test_a_class_as_csv(grades: Sequence[Grade]) -> None:
    """A row a learner, and no name that a spreadsheet would run."""
    rows = {row["attempt"]: row for row in csv.DictReader(io.StringIO(machine.to_csv(grades)))}
    assert rows["ada"]["earned"] == "17"
    assert rows["bob"]["earned"] == "14"
    assert rows["bob"]["freed"] == "0"
    assert rows["eve"]["earned"] == "0"
    assert (rows["dan"]["earned"], rows["dan"]["points"]) == ("17", "20")
    assert "'=<b>x" in rows


@pytest.mark.parametrize("first", "=+-@")
def test_no_cell_is_a_formula(grades: Sequence[Grade], first: str) -> None:
    """A name that begins as a formula does is text to a spreadsheet."""
    given = replace(grades[0], attempt=f"{first}SUM(A1)")
    _, row = csv.reader(io.StringIO(machine.to_csv([given])))
    assert row[0] == f"'{first}SUM(A1)"


def test_a_class_as_html(grades: Sequence[Grade]) -> None:
    """One page without scripts or other files, every stranger's text escaped."""
    page = html.to_html(grades, "full")
    assert "<script" not in page
    assert "=&lt;b&gt;x" in page
    assert "http" not in page
    assert page.count("<section") == 5


def test_code_in_a_sentence_is_code_on_the_page(judge: Judge) -> None:
    """What the terminal shows between backticks has a style of its own in HTML."""
    source = "import sys\n" + (GALLERY / "right" / "separate.py").read_text("utf-8")
    outside = judge(source + "\nx = sys.version if sys.version < '`<b>' else '`'\n")
    page = html.to_html(
        [outside, replace(outside, remarks=(Remark("an `<i>`, cut at `the en"),))], "full"
    )
    assert "it uses <code>sys</code>" in page
    assert "<li>line 1: <code>sys</code></li>" in page
    assert "everything: line 1 uses <code>sys</code>" in page
    assert "an <code>&lt;i&gt;</code>, cut at <code>the en</code>" in page
    assert "`" not in page


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


def test_brief_feedback_stays_a_sentence(judge: Judge) -> None:
    """Where a shape is kept back, its place shows."""
    unsummed = (GALLERY / "wrong" / "missing_sum.py").read_text("utf-8")
    brief = machine.to_json([judge(unsummed)], "brief")
    assert "grad_bias of shape …" in brief
    assert "shape …, which autograd sums to … in silence" in brief
