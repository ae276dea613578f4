"""``cards coverage``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from closedbook.cli import run
from closedbook.commands.coverage import command
from closedbook.source import load_bank

UNIT = """\
title: Squares
deck: Maths::Squares
outcomes:
  square: Square a number.
  root: Take a root.
resources:
  book: {title: A book}
syllabus:
  - part: Focus
    item: Squares of small numbers.
    cards: [two, three]
"""
CARDS = """\
- id: two
  kind: question
  outcome: square
  difficulty: 1
  ask: What is the square of 2, if it is 4?
  answer: "4"
  unchecked: arithmetic
- id: three
  kind: cloze
  outcome: square
  difficulty: 3
  text: The square of 3 is {{c1::9}}.
  claims:
    - say: It is 9.
      unchecked: arithmetic
"""


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A bank of two cards, whose second outcome and whose book nothing covers."""
    unit = tmp_path / "cards" / "squares"
    unit.mkdir(parents=True)
    (tmp_path / "cards" / "bank.yaml").write_text("id: squares\ntitle: Squares\n")
    (unit / "unit.yaml").write_text(UNIT)
    (unit / "squares.yaml").write_text(CARDS)
    return tmp_path


def cards(bank: Path, *arguments: str) -> Result:
    """Run ``cards coverage`` on the bank."""
    return CliRunner().invoke(command, ["--bank", str(bank), *arguments])


def test_text_counts_kinds_and_levels(bank: Path) -> None:
    """Each outcome has a row of its cards by kind and difficulty, and gaps are named."""
    result = cards(bank)
    assert result.exit_code == 0, result.output
    lines = [line.split() for line in result.output.splitlines()]
    dots = ["·"] * 12
    assert any(
        "task  difficulty 1  2  3  4  5  varies" in line for line in result.output.splitlines()
    )
    assert ["square", "1", "1", "·", "·", "·", "1", "·", "1", "·", "·", "·", "2"] in lines
    assert ["root", *dots[:11], "0"] in lines or ["root", *dots] in lines
    assert "no card has the outcome root" in result.output
    assert "no card has the source book" in result.output
    assert "two, three" in result.output


def test_strict_fails_on_a_gap(bank: Path) -> None:
    """``--strict`` ends with 1 where something is not covered."""
    assert cards(bank, "--strict").exit_code == 1


def test_json_lists_cards(bank: Path) -> None:
    """The JSON form names each outcome's cards and the syllabus."""
    (unit,) = json.loads(cards(bank, "--format", "json").output)
    assert unit["outcomes"][0]["cards"] == ["two", "three"]
    assert unit["outcomes"][0]["difficulties"] == {"1": 1, "3": 1}
    assert unit["syllabus"][0]["cards"] == ["two", "three"]


def test_markdown_is_a_page(bank: Path) -> None:
    """The Markdown form has a heading for each part of the syllabus."""
    output = cards(bank, "--format", "markdown").output
    assert output.startswith("## Squares\n")
    assert "\n### Focus\n\nSquares of small numbers.\n\n- `two`\n- `three`\n" in output


def test_units_go_in_the_order_of_the_course(
    bank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a unit comes after is shown before it, by `cards coverage` and by `cards list`."""
    numbers = bank / "cards" / "whole-numbers"
    numbers.mkdir()
    text = UNIT.replace("Squares", "Numbers").replace("two, three", "one")
    (numbers / "unit.yaml").write_text(f"{text}leads_to: [squares, Analysis]\n")
    (numbers / "one.yaml").write_text(CARDS.replace("two", "one").split("- id: three")[0])
    units = json.loads(cards(bank, "--format", "json").output)
    assert [unit["unit"] for unit in units] == ["whole-numbers", "squares"]
    assert run(["list", "--bank", str(bank)]) == 0
    listed = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line[:1] == " "]
    assert listed == ["one", "two", "three"]


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("coverage --unit squars", "unit"),
        ("list --unit squars", "unit"),
        ("list --outcome squars", "outcome"),
        ("verify --unit squars", "unit"),
    ],
)
def test_an_unknown_name_is_wrong_usage(
    bank: Path, words: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A unit or an outcome that the bank does not have ends with 2, and with what was meant."""
    assert run([*words.split(), "--bank", str(bank)]) == 2
    told = capsys.readouterr().err
    assert f"the bank has no {what} 'squars' (did you mean 'square" in told


def test_a_syllabus_names_cards_that_exist(bank: Path) -> None:
    """A card that is not there is reported where the syllabus names it."""
    path = bank / "cards" / "squares" / "unit.yaml"
    path.write_text(UNIT.replace("three]", "thre]"))
    _, (problem,) = load_bank(bank)
    assert problem.message == "no card has the id 'thre' (did you mean 'three'?)"
    assert str(problem.place) == "cards/squares/unit.yaml:11:18"


@pytest.mark.parametrize("cards_of_it", ["", "    cards: []\n"])
def test_an_item_of_the_syllabus_may_wait_for_its_cards(bank: Path, cards_of_it: str) -> None:
    """An item that no card covers can be written, and is shown as what is missing."""
    path = bank / "cards" / "squares" / "unit.yaml"
    path.write_text(f"{UNIT}  - part: Practice\n    item: Roots by hand.\n{cards_of_it}")
    assert load_bank(bank)[1] == []
    told = "no card covers Practice: Roots by hand."
    assert told in cards(bank).output.splitlines()
    page = cards(bank, "--format", "markdown").output
    assert "\n### Practice\n\nRoots by hand.\n\nNo card.\n" in page
    assert f"- {told}" in page.splitlines()
    (unit,) = json.loads(cards(bank, "--format", "json").output)
    assert told in unit["gaps"]
    assert cards(bank, "--strict").exit_code == 1
