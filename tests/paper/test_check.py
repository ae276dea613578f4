"""What ``cards verify`` tells of papers: wishes that cannot be had, and keys of one letter."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.paper.check import check_papers
from closedbook.source import load_bank
from tests.paper.banks import EXPERIMENT, write_bank

CHOICE = """\
- id: choice-{at}
  kind: question
  outcome: one
  ask: Which one, for the {at}th time?
  options:
    - wrong: Neither.
      because: One of them is.
      last: {last}
    - right: This one.
    - wrong: That one.
      because: It is the other.
  check: {{run: doubles, expect: {{same: false}}}}
"""
EXAM = """\
title: One
minutes: 5
shuffle: {shuffle}
sections:
  - title: Choices
    pick: {pick}
    from: {{outcome: one}}
    points: 1
"""


def told(root: Path, *, pick: int = 2, shuffle: str = "none", last: tuple[str, str]) -> list[str]:
    """The first lines of what is wrong with a paper of two choices."""
    cards = "".join(CHOICE.format(at=at, last=word) for at, word in enumerate(last))
    exam = EXAM.format(pick=pick, shuffle=shuffle)
    bank, problems = load_bank(
        write_bank(
            root,
            {
                "cards/unit/cards.yaml": cards,
                "exams/one.yaml": exam,
                "generators/experiments/doubles.py": EXPERIMENT,
            },
        )
    )
    assert bank is not None, problems
    assert not problems, "\n".join(map(str, problems))
    return [str(problem).partition("\n")[0] for problem in check_papers(bank)]


def test_a_wish_that_no_pool_fulfils_is_told_before_any_paper_is_made(tmp_path: Path) -> None:
    """More cards than there are, at the line that asks for them."""
    (found,) = told(tmp_path, pick=3, shuffle="both", last=("true", "true"))
    assert found == "exams/one.yaml:6:11: section 'Choices' picks 3 of 2 cards"


def test_unshuffled_choices_with_one_letter_for_all_are_warned_of(tmp_path: Path) -> None:
    """With the pinned option at the end, both right ones are A."""
    (found,) = told(tmp_path, last=("true", "true"))
    assert found.startswith("exams/one.yaml:3:10: warning: A answers every choice of section ")


@pytest.mark.parametrize(
    ("shuffle", "last"),
    [("none", ("true", "false")), ("options", ("true", "true"))],
    ids=["two letters", "shuffled"],
)
def test_letters_that_differ_are_not(tmp_path: Path, shuffle: str, last: tuple[str, str]) -> None:
    """Where the letters differ or will be moved, there is nothing to say."""
    assert told(tmp_path, shuffle=shuffle, last=last) == []


@pytest.mark.parametrize(
    ("space", "wrong"),
    [("6 rows", "is no space"), ("two lines", "is no space"), ("40 lines", "does not fit a page")],
)
def test_a_space_that_no_paper_can_leave_is_told_at_its_line(
    tmp_path: Path, space: str, wrong: str
) -> None:
    """Also of a card that no blueprint asks; a good one is not."""
    cards = CHOICE.format(at=0, last="true") + f"  space: {space}\n"
    cards += CHOICE.format(at=1, last="true") + "  space: 6 Lines\n"
    files = {
        "cards/unit/cards.yaml": cards,
        "generators/experiments/doubles.py": EXPERIMENT,
    }
    bank, problems = load_bank(write_bank(tmp_path, files))
    assert bank is not None, problems
    (found,) = check_papers(bank)
    assert str(found).startswith("cards/unit/cards.yaml:13:10: ")
    assert wrong in found.message
