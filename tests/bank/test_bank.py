"""The bank of this repository: true, whole, and fit to be read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from closedbook.export.anki import write_deck
from closedbook.model.bank import Bank, Card, DrawnCard
from closedbook.render.check import check_card
from closedbook.source import load_bank
from closedbook.verify import verify_bank
from closedbook.verify.options import Options
from closedbook.verify.report import Report
from closedbook.verify.verified import VerifiedBank

ROOT = Path(__file__).parents[2]
WIDEST = 64
"""Columns of code that a phone shows without scrolling."""


@pytest.fixture(scope="module")
def bank() -> Bank:
    """The bank, read once."""
    found, problems = load_bank(ROOT)
    assert [str(problem) for problem in problems] == []
    assert found is not None
    return found


@pytest.fixture(scope="module")
def outcome(
    bank: Bank, tmp_path_factory: pytest.TempPathFactory
) -> tuple[VerifiedBank | None, Report]:
    """The bank, verified once, whatever receipts lie about."""
    store = tmp_path_factory.mktemp("receipts")
    return verify_bank(bank, options=Options(store=store))


@pytest.fixture(scope="module")
def drawn(outcome: tuple[VerifiedBank | None, Report]) -> list[DrawnCard]:
    """Each card under the draws that the deck carries."""
    verified, _ = outcome
    assert verified is not None
    return [draw.drawn for card in verified.cards for draw in card.deck_draws()]


def test_every_claim_holds(outcome: tuple[VerifiedBank | None, Report]) -> None:
    """Every claim of every draw is shown by a run, and at most ten are excused."""
    verified, report = outcome
    assert [str(problem) for problem in report.problems] == []
    assert verified is not None
    assert report.exemptions <= 10


def test_its_lock_is_up_to_date(
    outcome: tuple[VerifiedBank | None, Report], tmp_path: Path
) -> None:
    """The committed ``cards.lock`` is that of the cards as they are."""
    verified, _ = outcome
    assert verified is not None
    written, problems = write_deck(verified, tmp_path / "deck.apkg", locked=True)
    assert [problem.message for problem in problems] == []
    assert written is not None


def test_it_is_large_and_varied(bank: Bank) -> None:
    """At least 100 cards of every kind, at least 25 of which vary."""
    kinds = Counter(card.kind for card in bank.cards)
    assert len(bank.cards) >= 100
    assert set(kinds) == {"question", "cloze", "derivation", "trap", "task"}
    assert kinds["trap"] >= 13
    assert sum(card.content.vary is not None for card in bank.cards) >= 25


def test_every_card_says_where_to_read(bank: Bank) -> None:
    """Each card names a source, an outcome, a tag and its difficulty."""
    for card in bank.cards:
        assert card.content.source is not None, card.id
        assert card.content.outcome, card.id
        assert card.content.tags, card.id
        assert "difficulty" in card.content.model_fields_set, card.id


def test_every_text_can_be_shown(drawn: list[DrawnCard]) -> None:
    """No text, formula or figure of the deck is refused by Anki's page or by the paper."""
    assert [str(problem) for card in drawn for problem in check_card(card)] == []


def test_code_fits_a_phone(drawn: list[DrawnCard]) -> None:
    """No line of printed code is wider than a phone shows."""
    wide = [
        (card.card.id, line)
        for card in drawn
        for listing in card.listings.values()
        for line in listing.text.splitlines()
        if len(line) > WIDEST
    ]
    assert wide == []


def test_nothing_is_asked_for_yes_or_no(drawn: list[DrawnCard]) -> None:
    """No answer is a bare yes or no, and no options are."""
    texts = [
        (card.card.id, text)
        for card in drawn
        for loc, text, _ in card.content.texts()
        if loc[0] in ("answer", "options")
    ]
    assert [one for one in texts if re.match(r"(yes|no)\b\W*$", one[1].strip(), re.I)] == []


def _choices(cards: tuple[Card, ...]) -> Iterator[tuple[Card, list[str | None]]]:
    for card in cards:
        options = getattr(card.content, "options", ())
        if options:
            yield card, [option.because for option in options if option.wrong is not None]


def test_each_wrong_option_names_its_misconception(bank: Bank) -> None:
    """A wrong option says which mistake leads to it, and choices carry the tag of the quiz."""
    for card, reasons in _choices(bank.cards):
        assert all(reasons), card.id
        assert "choice" in card.content.tags, card.id


def test_the_syllabus_is_covered(bank: Bank) -> None:
    """What the unit is to teach is listed under each of its headings, with cards."""
    (unit,) = bank.units
    parts = Counter(item.part for item in unit.info.syllabus)
    assert list(parts) == [
        "You can now",
        "Focus",
        "Reproduce closed-book",
        "Traps",
        "Practice",
        "Self-test",
        "Stop when",
        "To read",
    ]
    assert parts["Self-test"] == 3
    named = {outcome for card in bank.cards for outcome in card.content.outcome}
    assert named == set(unit.info.outcomes)
