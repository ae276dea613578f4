"""Papers of one card: whatever its points have to be, and however long it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.preview.papers import pages_of
from closedbook.verify.verified import VerifiedBank
from tests.export.exam.kinds import every_kind

LINES = "\n".join(f"    x{line} = {line}" for line in range(150))
MORE = f"""
- id: long
  kind: question
  outcome: one
  ask: Which line is the last?
  code: |
{LINES}
  answer: The one of 149.
  unchecked: It is counted.
- id: many
  kind: question
  outcome: one
  ask: Say seven things.
  answer: Seven.
  unchecked: It is counted.
  claims: [{", ".join(f"{{say: S{at}., unchecked: It is said.}}" for at in range(7))}]
"""


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> VerifiedBank:
    """A bank with every kind of card, a long one, and one of many claims."""
    folder: Path = tmp_path_factory.mktemp("kinds")
    return every_kind(folder, MORE)


@pytest.mark.parametrize(
    "card", ["short", "choice", "gaps", "steps", "wrong-square", "write-square", "many"]
)
def test_every_kind_has_a_paper_and_a_key(bank: VerifiedBank, card: str) -> None:
    """A task is worth what its contract says, and seven claims are worth more than three points."""
    for key in (False, True):
        pages, reason = pages_of(bank, card, key=key)
        assert reason == ""
        assert pages
        assert "<svg" in pages[0]


def test_a_long_question_goes_on_over_the_next_page(bank: VerifiedBank) -> None:
    """As on the exam's paper: the lines are spread over pages, and not all below each other."""
    pages, reason = pages_of(bank, "long", key=False)
    assert reason == ""
    glyphs = [page.count("<use") for page in pages]
    assert max(glyphs) < sum(glyphs) / 2
