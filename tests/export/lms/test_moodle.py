"""Moodle XML: what Moodle reads in it, and how it scores."""

from __future__ import annotations

import html
import re
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.parsers import expat

import pytest

from closedbook.export.lms.xhtml import to_xhtml
from closedbook.paper.exam import Variant
from closedbook.paper.plan import Plan
from closedbook.verify.verified import VerifiedBank
from tests.export.lms.papers import files, odd


@pytest.fixture(scope="module")
def quiz(
    bank: VerifiedBank, plan: Plan, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, ET.Element]:
    """Variant A's questions by card."""
    found = files(bank, plan, tmp_path_factory.mktemp("moodle"), "moodle")
    return by_card(found["A.xml"])


def by_card(xml: bytes) -> dict[str, ET.Element]:
    """A file's questions by card."""
    root = ET.fromstring(xml)  # noqa: S314 - written a moment ago
    return {
        name[1]: node
        for node in root.findall("question")
        if (name := re.search(r"\((.*)\)$", node.findtext("name/text") or ""))
    }


class _AsMoodle:
    """Moodle's reader: it drops a piece of text that is blank, and a reference ends a piece."""

    def __init__(self, xml: bytes) -> None:
        self.texts: list[str] = []
        self._open = self._whole = False
        parser = expat.ParserCreate()
        parser.StartElementHandler = self._start
        parser.CharacterDataHandler = self._data
        parser.StartCdataSectionHandler = lambda: self._cdata(True)
        parser.EndCdataSectionHandler = lambda: self._cdata(False)
        parser.Parse(xml, True)

    def _start(self, tag: str, fields: dict[str, str]) -> None:
        self._open = tag == "text"
        self.texts += [""] * self._open

    def _cdata(self, begins: bool) -> None:
        self._whole = begins

    def _data(self, data: str) -> None:
        if self._open and (self._whole or data.strip()):
            self.texts[-1] += data


def text_of(html: str | None) -> str:
    """What a learner reads of the HTML."""
    return "".join(to_xhtml(html or "").itertext())


def test_moodle_keeps_every_blank(bank: VerifiedBank, plan: Plan, tmp_path: Path) -> None:
    """Moodle's own reader, which drops blanks between two references, finds each text whole."""
    xml = files(bank, plan, tmp_path, "moodle")["A.xml"]
    wanted = [node.text or "" for node in ET.fromstring(xml).iter("text")]  # noqa: S314 - as above
    assert _AsMoodle(xml).texts == wanted
    assert any("]]>" in html.unescape(text) for text in wanted)
    assert any("</span>    <span" in text for text in wanted)


def test_moodle_has_a_type_for_each_kind(quiz: dict[str, ET.Element]) -> None:
    """Choices, numbers, typed answers and clozes are scored by Moodle; the rest are essays."""
    assert {card: node.get("type") for card, node in quiz.items()} == {
        "short": "essay",
        "choice": "multichoice",
        "both": "multichoice",
        "gaps": "essay",
        "steps": "essay",
        "wrong-square": "essay",
        "how-much": "numerical",
        "which-call": "shortanswer",
        "words": "cloze",
        "drawn": "essay",
        "write-square": "essay",
    }


def test_moodle_gives_points_to_the_right_options(
    quiz: dict[str, ET.Element], variant: Variant
) -> None:
    """One right option has 100 per cent; of several each has its share, wrong ones take it away."""
    for card in ("choice", "both"):
        question = next(q for q in variant.questions if q.card == card)
        shares = [float(a.attrib["fraction"]) for a in quiz[card].findall("answer")]
        assert [share > 0 for share in shares] == [option.right for option in question.options]
        assert sum(share for share in shares if share > 0) == pytest.approx(100)
    assert quiz["both"].findtext("single") == "false"
    assert min(float(a.attrib["fraction"]) for a in quiz["both"].findall("answer")) == -100


def test_moodle_knows_the_tolerance(quiz: dict[str, ET.Element]) -> None:
    """A number is right within the tolerance of its check."""
    answer = quiz["how-much"].find("answer")
    assert answer is not None
    assert answer.findtext("text") == "4"
    assert answer.findtext("tolerance") == "0.01"


def test_moodle_reads_answers_as_they_are(quiz: dict[str, ET.Element]) -> None:
    """A star in a short answer is no wildcard, and a field's own signs are escaped."""
    assert quiz["which-call"].findtext("answer/text") == r"ctx.save_for_backward\*"
    text = quiz["words"].findtext("questiontext/text") or ""
    assert "{2:SHORTANSWER_C:=saves}" in text or "{1:SHORTANSWER_C:=saves}" in text
    assert r"=a\~b\}\#c\/d}" in text


def test_moodle_takes_no_text_for_a_field_or_a_formula(quiz: dict[str, ET.Element]) -> None:
    """What looks like Moodle's field or MathJax's formula is text; a hint stands behind its gap."""
    html = quiz["words"].findtext("questiontext/text") or ""
    assert html.count("{") == 2
    assert html.count("} (a verb)") == 1
    assert r"\(" not in html
    assert "$$" not in html
    assert r"{1:SHORTANSWER:=x} $$ \(y\)." in text_of(html)


def test_moodle_takes_the_figure_and_the_file(quiz: dict[str, ET.Element]) -> None:
    """The figure travels in the question; the task asks for one Python file."""
    text = quiz["drawn"].find("questiontext")
    assert text is not None
    name = text.find("file")
    assert name is not None
    assert f"@@PLUGINFILE@@/{name.get('name')}" in (text.findtext("text") or "")
    assert quiz["write-square"].findtext("attachmentsrequired") == "1"
    assert quiz["write-square"].findtext("filetypeslist") == ".py"
    assert "torch 2.13.0" in (quiz["steps"].findtext("graderinfo/text") or "")


def test_moodle_numbers_the_lines_that_a_trap_asks_for(quiz: dict[str, ET.Element]) -> None:
    """The key names a line by its number, so a learner needs to see it."""
    told = text_of(quiz["wrong-square"].findtext("questiontext/text"))
    assert " 1  class SquareWrong(torch.autograd.Function):\n 2      @staticmethod" in told
    assert "12          return 3 * ctx.x * grad_output" in told


def test_moodle_scores_no_number_that_is_none(tmp_path: Path) -> None:
    """An answer of nan or inf is compared as a text where it is typed, and else read."""
    cards = """
- {id: not, kind: question, outcome: one, ask: What?, answer: nan, unchecked: a word}
- {id: large, kind: question, outcome: one, ask: What?, answer: inf, typed: true, unchecked: so}
"""
    bank, plan = odd(tmp_path, cards)
    found = by_card(files(bank, plan, tmp_path, "moodle")["A.xml"])
    assert {card: node.get("type") for card, node in found.items()} == {
        "not": "essay",
        "large": "shortanswer",
    }
