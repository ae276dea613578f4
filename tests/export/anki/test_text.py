"""What an author writes in any field of a card is what Anki's own renderer shows of it."""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest
from anki.collection import Collection
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from closedbook.export.anki import write_deck
from closedbook.export.anki.scratch import import_package, scratch_collection
from closedbook.model.bank import Bank, Card, DrawnCard
from closedbook.source.realise import realise
from closedbook.verify.verified import _TOKEN, VerifiedBank, VerifiedCard, VerifiedDraw
from tests.export.anki.workbench import Workbench

NASTY = [
    "{{", "}}", "{{c1::", "::", "{{Ask}}", "{{type:Typed}}", "[[type:Typed]]", "{{#Why}}",
    "{{FrontSide}}", "[sound:a.mp3]", "[anki:play:q:0]", "[latex]", "[$]", "[/$]", "<", ">", "&",
    "&amp;", "<int>", "</pre>", "</article>", "<script>", "<!--", "\\(", "\\)", "\\[", "\\]", "\\",
    "torch::nn::Linear", "'", '"', "é", "é", "Ω", "𝜕", "中", "::", "#", "\t", "%", "$",
]  # fmt: skip
CHARACTERS = st.characters(exclude_categories=("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"))
WORDS = st.lists(
    st.one_of(st.sampled_from(NASTY), st.text(CHARACTERS, min_size=1, max_size=5)),
    min_size=1,
    max_size=6,
).map(lambda parts: "x" + " ".join("".join(parts).split()) + "x")
LINES = st.lists(WORDS, min_size=1, max_size=4).map("\n".join)


class Shown(HTMLParser):
    """The text of each element with a class of ours, and of each code block."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.code: list[str] = []
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """A code block begins."""
        if tag == "pre":
            self.code.append("")
            self._depth += 1

    def handle_endtag(self, tag: str) -> None:
        """A code block ends."""
        self._depth -= tag == "pre"

    def handle_data(self, data: str) -> None:
        """Text within a code block."""
        if self._depth:
            self.code[-1] += data


@pytest.fixture(scope="module")
def anki() -> Iterator[Collection]:
    """A collection that every example imports into."""
    with scratch_collection() as collection:
        yield collection


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, store: Path) -> Bank:
    """The fixture bank, whose cards are given other texts."""
    return Workbench(tmp_path_factory.mktemp("texts"), store).bank()


def with_text(bank: Bank, id: str, **texts: object) -> VerifiedBank:
    """A bank of one card with other texts; what its claims say is not what is tested here."""
    card = bank.card(id)
    assert card is not None
    content = card.content.model_copy(update=texts)
    other = Card(card.unit, content, card.origin, card.folder)
    drawn, problems = realise(other, {}, bank.generators)
    assert drawn is not None, problems
    return VerifiedBank(_TOKEN, bank, (VerifiedCard(other, ({},), _drawn(drawn)),), "2.13.0")


def _drawn(drawn: DrawnCard) -> object:
    verified = VerifiedDraw(drawn, tuple(None for _ in drawn.claims))
    return lambda index: verified


def shown(collection: Collection, verified: VerifiedBank, folder: Path) -> list[tuple[str, str]]:
    """Front and back of every card, rendered by Anki after an import."""
    deck = folder / "x.apkg"
    lock = folder / "lock"
    written, problems = write_deck(verified, deck, lock=lock, release=1_800_000_000)
    assert written is not None, problems
    collection.remove_notes(collection.db.list("select id from notes"))
    import_package(collection, deck)
    assert collection.card_count() == written.cards
    assert not collection.get_empty_cards().notes
    cards = [collection.get_card(number) for number in collection.db.list("select id from cards")]
    return [(card.question(), card.answer()) for card in cards]


def code_in(side: str) -> list[str]:
    """The code blocks of a rendered side, as text."""
    parser = Shown()
    parser.feed(re.sub(r"<(style|script)\b.*?</\1>", "", side, flags=re.DOTALL))
    return [block.rstrip("\n") for block in parser.code]


def nfc(text: str) -> str:
    """As Anki stores text."""
    return unicodedata.normalize("NFC", text)


MANY = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@MANY
@given(code=LINES)
def test_code_of_a_card_is_shown_as_it_is(
    anki: Collection, base: Bank, tmp_path: Path, code: str
) -> None:
    """Random code with all that Anki, HTML and MathJax read: shown character by character."""
    ((front, back),) = shown(anki, with_text(base, "graph", code=code), tmp_path)
    assert code_in(front) == [nfc(code)]
    assert code_in(back) == [nfc(code)]
    assert "[[type:" not in front


@MANY
@given(code=LINES, fence=st.sampled_from(["", "python", "cpp"]))
def test_code_between_gaps_makes_no_card_of_its_own(
    anki: Collection, base: Bank, tmp_path: Path, code: str, fence: str
) -> None:
    """In a cloze, code with braces and colons beside a gap: one card, the code whole."""
    code = code.replace("{{c", "{{k")  # what begins a gap is a gap
    text = f"{{{{c1::A word}}}} stands before:\n\n``````{fence}\n{code}\n``````\n"
    ((front, back),) = shown(anki, with_text(base, "who-writes", text=text), tmp_path)
    assert code_in(front) == code_in(back) == [nfc(code)]
    assert 'class="cloze"' in front


@MANY
@given(answer=WORDS)
def test_a_typed_answer_is_compared_with_what_the_author_wrote(
    anki: Collection, base: Bank, tmp_path: Path, answer: str
) -> None:
    """Who types the answer exactly as it is shown is right."""
    if "`" in answer:
        return
    verified = with_text(base, "weight-shape", answer=f"`{answer}`")
    shown(anki, verified, tmp_path)
    stored = anki.get_note(anki.db.scalar("select id from notes"))["Typed"]
    assert html.unescape(stored) == nfc(answer)
    compared = anki.compare_answer(stored, nfc(answer))
    assert "typeBad" not in compared
    assert "typeMissed" not in compared
