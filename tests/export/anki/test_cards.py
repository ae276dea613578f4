"""What each kind of card becomes, as Anki renders it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from anki.collection import Collection

from closedbook.export.anki import write_deck
from closedbook.export.anki.scratch import import_package, scratch_collection
from closedbook.verify.verified import VerifiedBank
from tests.export.anki.workbench import FIRST_TIME


@pytest.fixture(scope="module")
def collection(
    small: VerifiedBank, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Collection]:
    """The fixture deck in Anki, presets taken over."""
    deck = tmp_path_factory.mktemp("deck") / "x.apkg"
    written, problems = write_deck(small, deck, lock=deck.with_name("lock"), release=FIRST_TIME)
    assert written is not None, problems
    with scratch_collection() as collection:
        import_package(collection, deck, presets=True)
        yield collection


def sides(collection: Collection, note: str) -> list[tuple[str, str]]:
    """Front and back of each card of a note, its first field ``note``, as text without markup."""
    ids = collection.db.list(
        "select c.id from cards c join notes n on n.id = c.nid where n.flds like ? order by c.ord",
        f"{note}\x1f%",
    )
    cards = [collection.get_card(number) for number in ids]
    return [(text(card.question()), text(card.answer())) for card in cards]


def text(shown: str) -> str:
    """HTML as text, styles and scripts left out."""
    shown = re.sub(r"<(style|script)\b.*?</\1>", " ", shown, flags=re.DOTALL)
    shown = re.sub(r"</?(?:span|code|a|em|strong)\b[^>]*>", "", shown)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def test_no_card_is_empty_and_no_figure_missing(collection: Collection) -> None:
    """The whole deck stands up to Anki's own two checks."""
    assert not collection.get_empty_cards().notes
    assert list(collection.media.check().missing) == []
    assert list(collection.media.check().unused) == []


def test_a_question_shows_its_answer_and_what_ran_only_behind(collection: Collection) -> None:
    """The answer side ends with the run and the source, without a version of torch."""
    ((front, back),) = sides(collection, "weight-shape")
    assert "What shape has grad_weight?" in front
    assert "(3, 4)" not in front.removeprefix(
        "A linear layer computes input.mm(weight.t()) with input (5, 4) and weight (3, 4)"
    )
    assert "A gradient has the shape of what it is the gradient of." in back
    assert "Ran LinearFunction(input=(5, 4), weight=(3, 4)): grad_weight.shape (3, 4)" in back
    assert back.endswith("Source: Extending PyTorch")
    assert "torch 2" not in back


def test_a_typed_answer_is_compared_with_plain_text(collection: Collection) -> None:
    """``typed: true`` asks Anki for its box, and compares with the answer without its markup."""
    ((front, back),) = sides(collection, "weight-shape")
    assert "[[type:Typed]]" in front
    assert "[[type:Typed]]" in back
    expected = collection.db.scalar("select flds from notes where flds like 'weight-shape\x1f%'")
    assert "\x1f(3, 4)\x1f" in expected


def test_options_show_reasons_only_on_the_answer_side(collection: Collection) -> None:
    """The right option is marked, the one that stays last is last."""
    note = collection.get_note(collection.find_notes('"Id:weight-shape-varied"')[0])
    options = re.findall(r'<li class="([^"]+)">', note["Options"])
    assert sorted(options) == ["right", "wrong", "wrong", "wrong last"]
    assert options[-1] == "wrong last"
    assert ".cb.front .because" in collection.get_card(note.cards()[0].id).question()


def test_each_draw_of_the_deck_is_a_note_of_its_own(collection: Collection) -> None:
    """``deck_variants: 2`` gives two notes with different numbers."""
    notes = [
        collection.get_note(collection.find_notes(f'"Id:{name}"')[0])
        for name in ("weight-shape-varied", "weight-shape-varied#2")
    ]
    assert notes[0].guid != notes[1].guid
    assert notes[0]["Ask"] != notes[1]["Ask"]


def test_a_cloze_has_a_card_a_number_and_its_claims_behind(collection: Collection) -> None:
    """A gap within code is a gap, and the rest of the code stays."""
    cards = sides(collection, "who-writes")
    assert len(cards) == 3
    front, back = cards[2]
    assert "def setup_context(ctx, [...]):" in front
    assert "def setup_context(ctx, inputs, output):" in back
    assert "The square saves its input there, one tensor." in back
    assert all("The square saves" not in front for front, _ in cards)


def test_a_derivation_walks_its_steps(collection: Collection) -> None:
    """One card holds each step folded up; the result stands behind alone."""
    ((front, back),) = sides(collection, "linear-backward")
    assert "Which product of two tensors" in front
    assert "Both together:" not in front
    assert r"\[\frac{\partial L}{\partial W} = G^\top X" in back
    raw = collection.get_card(collection.find_cards('"Id:linear-backward"')[0]).question()
    assert raw.count('<details class="step">') == 2


def test_a_step_is_asked_with_the_steps_before_it(collection: Collection) -> None:
    """The second step's card shows the first step, and not its own answer."""
    ((front, back),) = sides(collection, "linear-backward/input")
    assert "Derivation, step 2" in front
    assert "gives (3, 4)" in front
    assert "gives (5, 4)" not in front
    assert "gives (5, 4)" in back
    assert "grad_weight.shape" not in back.partition("Ran")[2]


def test_a_trap_asks_what_is_observed_where_the_fault_is_and_how_to_mend_it(
    collection: Collection,
) -> None:
    """Three cards: code to symptom, symptom to fault, code to mended code."""
    observed, fault, fix = sides(collection, "trap-tensor-on-ctx")
    assert "class SquareOnCtx" in observed[0]
    assert "60 where 6 is right" not in observed[0]
    assert "60 where 6 is right" in observed[1]
    assert "class SquareOnCtx" not in fault[0]
    assert "60 where 6 is right" in fault[0]
    assert "escapes the version check" in fault[1]
    assert "class Square(" not in fix[0]
    assert "class Square(" in fix[1]
    assert "What is saved is checked." in fix[1]


def test_a_task_shows_its_contract_in_front_and_the_reference_behind(
    collection: Collection,
) -> None:
    """The probes' sentences are the contract; the reference's source is the answer."""
    ((front, back),) = sides(collection, "task-linear")
    assert "It passes gradcheck in double precision." in front
    assert "forward gives the right values" in front
    assert "linear.py" in front
    assert "Hand in the broken class as broken.py, and what gradcheck printed as quote.txt" in front
    assert "class LinearFunction" not in front
    assert "class LinearFunction" in back
    assert "Ran gradcheck on LinearFunction (generators/functions/small.py)" in back


def test_decks_tags_and_presets_come_from_the_unit(collection: Collection) -> None:
    """Subdecks by file, tags by unit and outcome, the preset on every deck of the unit."""
    decks = {deck["name"]: deck for deck in collection.decks.all()}
    assert {"Fixture", "Fixture::Autograd", "Fixture::Autograd::Linear"} <= set(decks)
    described = decks["Fixture::Autograd"]
    assert "Say the shapes of a linear layer's gradients." in described["desc"]
    assert (
        "- [Extending PyTorch](https://pytorch.org/docs/stable/notes/extending.html). "
        'From "When to use" on\n'
    ) in described["desc"]
    assert "Comes after:\n\n- Tensors\n\nLeads to:\n\n- Hooks\n\n" in described["desc"]
    assert re.search(r"on torch \d", described["desc"])
    assert described["md"] is True
    preset = collection.decks.config_dict_for_deck_id(decks["Fixture::Autograd::Linear"]["id"])
    assert (preset["name"], preset["new"]["perDay"], preset["rev"]["perDay"]) == ("Fixture", 5, 120)
    assert preset["desiredRetention"] == pytest.approx(0.92)
    note = collection.get_note(collection.find_notes('"Id:weight-shape"')[0])
    assert note.tags == ["closedbook::autograd::shapes", "linear"]
    assert collection.decks.name(note.cards()[0].did) == "Fixture::Autograd::Linear"


def test_a_figure_travels_under_a_name_with_its_hash(collection: Collection) -> None:
    """The figure is in Anki's media folder, and its alternative text with it."""
    note = collection.get_note(collection.find_notes('"Id:graph"')[0])
    name = re.search(r'<img src="(closedbook-graph-[0-9a-f]{16}\.svg)" alt="([^"]+)">', note["Ask"])
    assert name is not None
    assert Path(collection.media.dir(), name[1]).read_bytes().startswith(b"<svg")
    assert name[2] == "The output points to a node, the node to its saved input"
