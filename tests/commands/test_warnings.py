"""A warning does not stop a command, and is told once by each."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.cli import run
from tests.paper.banks import write_bank

CARDS = """\
- id: gaps
  kind: cloze
  outcome: o
  text: |
    {{c1::Code}} and {{c3::text}}.

    ```pyhton
    pass
    ```
  claims: [{say: Both are there., unchecked: a matter of words}]
- id: square
  kind: question
  outcome: o
  ask: What is the square of `x`?
  answer: "`x * x`"
  unchecked: a definition
  claims:
    - {say: Also `x ** 2`., unchecked: a definition, points: 1}
    - {say: There is no other., unchecked: a definition}
"""
EXAM = """\
title: T
minutes: 10
sections: [{title: S, pick: 1, from: {outcome: o}, points: 1}]
"""
HOLE = "gap c3 comes without a c2"
LANGUAGE = "no highlighting for 'pyhton'"
POOL = "section 'S' leaves out"


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A bank that warns as it is read, as its texts are read, and as its exam is planned."""
    files = {
        "cards/bank.yaml": "id: b\ntitle: B\n",
        "cards/u/unit.yaml": "title: U\ndeck: U\noutcomes: {o: Know it.}\n",
        "cards/u/c.yaml": CARDS,
        "exams/e.yaml": EXAM,
    }
    return write_bank(tmp_path / "bank", files)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("list", [HOLE]),
        ("coverage", [HOLE]),
        ("show gaps", [HOLE, LANGUAGE]),
        ("verify", [HOLE, LANGUAGE, POOL]),
        ("deck", [HOLE, LANGUAGE]),
        ("exam e --format html", [HOLE, LANGUAGE, POOL]),
        ("build", [HOLE, LANGUAGE, POOL]),
    ],
)
def test_a_warning_is_told_once(
    bank: Path, words: str, told: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Each command goes on and tells each warning that it comes upon once."""
    assert run([*words.split(), "--bank", str(bank)]) == 0
    printed = "".join(capsys.readouterr())
    assert [printed.count(each) for each in (HOLE, LANGUAGE, POOL)] == [
        int(each in told) for each in (HOLE, LANGUAGE, POOL)
    ]
    assert "0 errors" not in printed
