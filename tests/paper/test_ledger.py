"""The ledger of what earlier papers used."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from closedbook.paper.ledger import PATH, read_used, record
from closedbook.paper.plan import make_plan
from tests.paper.test_plan import BLUEPRINT, CHOICE, bank, many, planned

DAY = datetime.date(2026, 5, 4)


def test_a_paper_is_recorded_once_and_does_not_avoid_itself(tmp_path: Path) -> None:
    """Recording again replaces the entry; the paper looks only at those that stand before it."""
    text = BLUEPRINT.format(variants=2, seed=5, same="true", first=1, second=1)
    verified = bank(tmp_path, many(CHOICE, 4), text)
    plan = planned(verified)
    record(tmp_path, plan, verified, DAY)
    once = (tmp_path / PATH).read_text(encoding="utf-8")
    record(tmp_path, plan, verified, DAY)
    assert (tmp_path / PATH).read_text(encoding="utf-8") == once
    assert read_used(tmp_path, "exam", 5)[0].draws == {}
    used, problems = read_used(tmp_path, "exam", 6)
    assert problems == []
    assert {slot.card for slot in plan.variants[0]} == set(used.draws)


@pytest.mark.parametrize(("same", "cards"), [("true", 4), ("false", 8)])
def test_the_next_exam_draws_what_is_left(tmp_path: Path, same: str, cards: int) -> None:
    """Half of the cards were used; the next exam draws the other half, without a word."""
    text = BLUEPRINT.format(variants=2, seed=5, same=same, first=1, second=1)
    verified = bank(tmp_path, many(CHOICE, cards), text)
    first = planned(verified)
    record(tmp_path, first, verified, DAY)
    used, _ = read_used(tmp_path, "exam", 6)
    plan, problems = make_plan(verified, verified.bank.blueprints[0], used=used, seed=6)
    assert plan is not None
    assert problems == []
    before, after = (
        {slot.card for variant in one.variants for slot in variant} for one in (first, plan)
    )
    assert before.isdisjoint(after)
    assert len(before) == len(after) == cards / 2


def test_old_papers_are_forgotten(tmp_path: Path) -> None:
    """Only the three newest papers count."""
    text = BLUEPRINT.format(variants=1, seed=0, same="true", first=1, second=1)
    verified = bank(tmp_path, many(CHOICE, 8), text)
    for seed in range(5):
        record(tmp_path, planned(verified, seed=seed), verified, DAY)
    used, _ = read_used(tmp_path, "exam", 99)
    newest = {slot.card for seed in (2, 3, 4) for slot in planned(verified, seed=seed).variants[0]}
    assert set(used.draws) == newest


def test_an_entry_that_a_person_wrote_is_read(tmp_path: Path) -> None:
    """The key 'on' needs no quotes, though YAML takes it for a truth."""
    path = tmp_path / PATH
    path.parent.mkdir()
    path.write_text("- exam: old\n  on: 2026-05-04\n  seed: 1\n  cards: {shapes: [{n: 2}]}\n")
    used, problems = read_used(tmp_path, "exam", 1)
    assert problems == []
    assert used.draws == {"shapes": [{"n": 2}]}


@pytest.mark.parametrize(
    "text",
    [
        "- [",
        "a: b",
        "- exam: x\n  on: 2026-05-04\n",
        "- 3\n",
        "\t- x",
        "- {exam: x, on: 2026-05-04, seed: 1, cards: {shapes: [5]}}",
    ],
)
def test_a_ledger_that_cannot_be_read_is_told(tmp_path: Path, text: str) -> None:
    """The problem names the file."""
    path = tmp_path / PATH
    path.parent.mkdir()
    path.write_text(text, encoding="utf-8")
    used, problems = read_used(tmp_path, "exam", 1)
    assert used.draws == {}
    assert str(problems[0]).startswith("exams/ledger.yaml")
    assert "the ledger cannot be read" in problems[0].message


def test_a_ledger_that_cannot_be_read_is_not_written_over(tmp_path: Path) -> None:
    """What a person has begun to mend stays as it is, a recorded paper or not."""
    text = BLUEPRINT.format(variants=1, seed=5, same="true", first=1, second=1)
    verified = bank(tmp_path, many(CHOICE, 2), text)
    path = tmp_path / PATH
    path.write_text("- exam: [half", encoding="utf-8")
    record(tmp_path, planned(verified), verified, DAY)
    assert path.read_text(encoding="utf-8") == "- exam: [half"
