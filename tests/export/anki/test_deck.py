"""Identity, presets, retirement and pace: what a deck takes from the bank around the cards."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from closedbook.export.anki.describe import retired_search
from closedbook.export.anki.identity import deck_id, guid, preset_id
from closedbook.export.anki.lock import Entry, Lock, read_lock
from closedbook.export.anki.pace import Pace
from closedbook.export.anki.scratch import import_package, scratch_collection
from tests.export.anki.workbench import FIRST_RELEASE, Workbench


def test_guids_are_what_they_were() -> None:
    """The GUIDs that collections hold: a change here would make every note a new one."""
    assert guid("closedbook-pytorch", "linear-grad-shapes", "question") == "d5714579a29ab116c952"
    assert guid("closedbook-pytorch", "linear-backward", "step.2") == "d0f89fa7b291c81c5214"


def test_ids_stay_clear_of_those_of_anki() -> None:
    """Neither 1 (Anki's own deck and preset), nor milliseconds of our days, nor beyond 2**53."""
    for number in (deck_id("PyTorch"), preset_id("bank", "PyTorch")):
        assert 2 < number < 2**53
        assert not 1_400_000_000_000 < number < 2_400_000_000_000


def test_two_cards_that_claim_one_history_are_a_problem(bench: Workbench, tmp_path: Path) -> None:
    """A card may not have been what another one still is."""
    bench.edit("saving.yaml", "- id: graph\n", "- id: graph\n  was: [weight-shape]\n")
    with pytest.raises(AssertionError, match="weight-shape"):
        bench.release(tmp_path / "x.apkg")


def test_a_preset_with_two_meanings_is_a_problem(bench: Workbench, tmp_path: Path) -> None:
    """Two units may share a preset, not its name alone."""
    other = bench.root / "cards" / "other"
    other.mkdir()
    unit = bench.path("unit.yaml").read_text()
    (other / "unit.yaml").write_text(unit.replace("new_per_day: 5", "new_per_day: 9"))
    written, problems = bench.write(tmp_path / "x.apkg")
    assert written is None
    assert [problem.message for problem in problems if problem.severity == "error"] == [
        "preset 'Fixture' has other values in another unit"
    ]


def test_retired_cards_are_found_by_the_search_in_the_description(
    bench: Workbench, tmp_path: Path
) -> None:
    """The description that comes with the update holds a search that finds exactly them."""
    bench.edit("saving.yaml", "- id: who-writes\n", "- id: who-writes\n  retired: true\n")
    bench.edit("linear.yaml", "  each_step: true\n", "")
    bench.release(tmp_path / "x.apkg")
    search = retired_search(read_lock(bench.root / "cards.lock", "cards.lock")[0])
    with scratch_collection() as collection:
        import_package(collection, FIRST_RELEASE)
        import_package(collection, tmp_path / "x.apkg")
        described = collection.decks.by_name("Fixture::Autograd")
        assert described is not None
        assert search in described["desc"]
        found = [collection.get_note(note).fields[0] for note in collection.find_notes(search)]
        assert sorted(found) == ["linear-backward/1", "linear-backward/input", "who-writes"]


def test_a_card_that_went_without_a_word_is_said_once(bench: Workbench, tmp_path: Path) -> None:
    """A new id without ``was`` makes learners begin anew; a card that is retired is no mistake."""
    bench.release(tmp_path / "x.apkg")
    bench.edit("saving.yaml", "- id: who-writes\n", "- id: who-writes\n  retired: true\n")
    bench.edit("saving.yaml", "- id: graph\n", "- id: graph-of-two\n")
    _, problems = bench.write(tmp_path / "y.apkg")
    assert [p.message for p in problems if p.severity == "warning"] == [
        "card 'graph' was in the last deck and is not in the bank: say 'was: [graph]' on the card "
        "that it became, or bring it back with 'retired: true'"
    ]
    _, problems = bench.write(tmp_path / "z.apkg")
    assert problems == []


def test_the_search_names_draws_and_steps_as_their_notes_do() -> None:
    """A step is ``card/step``, a later draw ``card#2``."""
    keys = ("a/question.draw.2", "b/step.two", "c/step.1.draw.3")
    lock = Lock({key: Entry("a" * 16, 1, retired=True) for key in keys})
    assert retired_search(lock) == (
        '("note:closedbook question" "Id:a#2") OR ("note:closedbook step" "Id:b/two") OR '
        '("note:closedbook step" "Id:c/1#3")'
    )


DAY = datetime.date(2026, 12, 1)


@pytest.mark.parametrize(
    ("cards", "days", "limit", "said"),
    [
        (100, 10, 20, "U: 10 new cards a day reach all 100 cards before the exam on 2026-12-11, "
         "in 10 days"),
        (101, 10, 5, "U: 11 new cards a day reach all 101 cards before the exam on 2026-12-11, "
         "in 10 days; the preset's 5 a day would leave 51 unseen"),
        (1, 1, 20, "U: 1 new card a day reaches the one card before the exam on 2026-12-02, "
         "in 1 day"),
        (5, 0, 20, "U: the exam of 2026-12-01 is today"),
        (5, -1, 20, "U: the exam of 2026-11-30 is over"),
    ],
)  # fmt: skip
def test_the_pace_reaches_every_card(cards: int, days: int, limit: int, said: str) -> None:
    """The fewest new cards a day that reach all of them, and what the preset would miss."""
    pace = Pace("U", cards, DAY + datetime.timedelta(days), DAY, limit)
    assert str(pace) == said
    if days > 0:
        assert pace.a_day * days >= cards > (pace.a_day - 1) * days
