"""Moodle XML: what Moodle reads in it, and how it scores."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from closedbook.export.lms import write_lms
from closedbook.paper.exam import Variant
from closedbook.paper.plan import Plan
from closedbook.verify.verified import VerifiedBank
from tests.export.lms.moodle_reader import AsMoodle, by_card, html_of, name_of, questions, text_of
from tests.export.lms.papers import SVG, files, odd


@pytest.fixture(scope="module")
def quiz(
    bank: VerifiedBank, plan: Plan, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, ET.Element]:
    """Variant A's questions by card."""
    found = files(bank, plan, tmp_path_factory.mktemp("moodle"), "moodle")
    return by_card(found["A.xml"])


def test_moodle_keeps_every_blank(bank: VerifiedBank, plan: Plan, tmp_path: Path) -> None:
    """Moodle's own reader, which drops blanks between two references, finds each text whole."""
    xml = files(bank, plan, tmp_path, "moodle")["A.xml"]
    wanted = [node.text or "" for node in ET.fromstring(xml).iter("text")]  # noqa: S314 - as above
    assert AsMoodle(xml).texts == wanted
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


def test_moodle_reads_answers_as_they_are(quiz: dict[str, ET.Element], tmp_path: Path) -> None:
    """A star in a short answer is no wildcard; what would end a text does not end it."""
    assert quiz["which-call"].findtext("answer/text") == r"ctx.save_for_backward\*"
    typed = "{id: ends, kind: question, outcome: one, ask: What?, typed: true, unchecked: so,"
    cards = f"\n- {typed} answer: '`a]]>b & <c>`'}}\n"
    found = by_card(files(*odd(tmp_path, cards), tmp_path, "moodle")["A.xml"])
    assert found["ends"].findtext("answer/text") == "a]]>b & <c>"


def test_moodle_takes_no_text_for_a_field_or_a_formula(quiz: dict[str, ET.Element]) -> None:
    """What looks like Moodle's field or MathJax's formula is text; a hint stands behind its gap."""
    html = html_of(quiz["words"])
    assert html.count("{") == 2
    assert html.count("} (a verb)") == 1
    assert r"\(" not in html
    assert "$$" not in html
    assert r"{1:SHORTANSWER:=x} $$ \(y\)." in text_of(html)


def test_moodle_takes_the_figure_and_the_files(quiz: dict[str, ET.Element]) -> None:
    """The figure travels in the question; a task asks for its file, and for those of its end."""
    text = quiz["drawn"].find("questiontext")
    assert text is not None
    name = text.find("file")
    assert name is not None
    assert f"@@PLUGINFILE@@/{name.get('name')}" in (text.findtext("text") or "")
    task = quiz["write-square"]
    asked = ("responseformat", "attachments", "attachmentsrequired", "filetypeslist")
    assert [task.findtext(name) for name in asked] == ["noinline", "3", "1", ".py,.txt"]
    assert "torch 2.13.0" in html_of(quiz["steps"], "graderinfo")


def test_moodle_takes_one_file_where_one_is_asked_for(tmp_path: Path) -> None:
    """A task without a second half has one file, and says what it may not call."""
    cards = """
- id: write-it
  kind: task
  outcome: two
  ask: Write `Square`.
  file: square.py
  reference: Square
  forbid: [torch.square, einsum]
  contract: {forward: 4}
"""
    task = by_card(files(*odd(tmp_path, cards), tmp_path, "moodle")["A.xml"])["write-it"]
    assert (task.findtext("attachments"), task.findtext("filetypeslist")) == ("1", ".py")
    assert "It defines Square without torch.square, einsum." in text_of(html_of(task))


def test_moodle_finds_a_figure_of_an_option_with_it(tmp_path: Path) -> None:
    """The file stands in the answer, before the feedback, which has files of its own."""
    cards = """
- id: which
  kind: question
  outcome: one
  ask: Which?
  options:
    - right: "![a](square.svg)"
    - wrong: "![b](other.svg)"
      because: Not ![a](square.svg).
  unchecked: seen
"""
    svgs = {f"cards/unit/{name}.svg": SVG for name in ("square", "other")}
    found = files(*odd(tmp_path, cards, **svgs), tmp_path, "moodle")["A.xml"]
    for answer in by_card(found)["which"].findall("answer"):
        wrong = answer.get("fraction") == "0"
        assert [child.tag for child in answer] == ["text", "file", "feedback"]
        assert str(answer[1].get("name")) in (answer[0].text or "")
        told = [child.tag for child in answer.iterfind("feedback/*")]
        assert told == (["text", "file"] if wrong else ["text"])


def test_moodle_keeps_the_order_and_all_texts_of_a_paper(tmp_path: Path) -> None:
    """Sorted by name, rules, heads and questions stand as on the paper, whatever their number."""
    choices = "".join(
        f"- {{id: card-{n}, kind: question, outcome: one, ask: What?, answer: So., unchecked: t}}\n"
        for n in range(11)
    )
    blueprint = """\
title: 'a/b & <c>'
minutes: 45
rules: 'Closed **book**.'
sections:
  - title: 'First <one>'
    intro: 'Take `f(h)`.'
    minutes: 5
    cards: [{cards}]
    points: {points}
  - title: Second
    cards: [short]
    points: 1
"""
    xml = files(*odd(tmp_path, "\n" + choices, blueprint=blueprint), tmp_path, "moodle")["A.xml"]
    found = questions(xml)
    names = [name_of(question) for question in found]
    assert names == sorted(names)
    assert names[:2] == ["Part 0, Rules", "Part 1, Introduction"]
    assert names[2].startswith("Part 1, Question 01 (card-")
    assert names[-2:] == ["Part 2, Introduction", "Part 2, Question 12 (short)"]
    told = [
        text_of(html_of(question)) for question in found if question.get("type") == "description"
    ]
    assert told == [
        "Closed book.",
        "Part 1: First <one>44 points, 5 minutesTake f(h).",
        "Part 2: Second1 point",
    ]
    category = ET.fromstring(xml).findtext("question/category/text")  # noqa: S314 - as above
    assert category == "$course$/top/a//b &amp; &lt;c>/Variant A"


def test_moodle_tells_a_learner_no_more_than_is_theirs(quiz: dict[str, ET.Element]) -> None:
    """The graders' key stands with the graders alone; after what Moodle scores comes the reason."""
    for question in quiz.values():
        feedback = text_of(html_of(question, "generalfeedback"))
        if question.get("type") == "essay":
            assert question.find("generalfeedback") is None
            assert "point" in text_of(html_of(question, "graderinfo"))
        else:
            assert "point" not in feedback.replace("share of the points", "")
            assert "Exactly the right boxes" not in feedback
    assert "share of the points" in html_of(quiz["both"], "generalfeedback")
    assert "share of the points" not in html_of(quiz["choice"], "generalfeedback")
    assert text_of(html_of(quiz["how-much"], "generalfeedback")).startswith(
        "4Ran gradient_of_square"
    )


def options(right: int, wrong: int) -> str:
    """A card with so many options."""
    rows = [f"    - right: R{at}" for at in range(right)]
    rows += [f"    - {{wrong: W{at}, because: no}}" for at in range(wrong)]
    head = "- id: many\n  kind: question\n  outcome: one\n  ask: What?\n  unchecked: t\n  options:"
    return "\n".join(["", head, *rows, ""])


@pytest.mark.parametrize("right", range(2, 21))
def test_moodle_takes_every_share(tmp_path: Path, right: int) -> None:
    """Shares are on Moodle's list and add up; a wrong box takes all points, as on the paper."""
    known = {100, 50, 33.33333, 25, 20, 16.66667, 14.28571, 12.5, 11.11111, 10, 5, -100}
    found = by_card(files(*odd(tmp_path, options(right, 3)), tmp_path, "moodle")["A.xml"])["many"]
    shares = [float(answer.attrib["fraction"]) for answer in found.findall("answer")]
    assert set(shares) <= known
    assert sum(share for share in shares if share > 0) == pytest.approx(100, abs=1e-4)
    assert shares.count(-100) == 3


def test_moodle_is_not_given_more_options_than_it_can_score(tmp_path: Path) -> None:
    """Of more right options than have a share nothing is written, and the card is named."""
    bank, plan = odd(tmp_path, options(21, 1))
    found, problems = write_lms(bank, plan, tmp_path / "out", "moodle")
    assert found == []
    assert [problem.message for problem in problems] == [
        "card 'many' has 21 right options, and Moodle scores 20 at most"
    ]
    assert problems[0].severity == "error"


def test_moodle_takes_every_id(tmp_path: Path) -> None:
    """A long id is cut to what Moodle keeps of it, and stays apart from its neighbour."""
    names = [f"{'x' * 120}-{end}" for end in ("one", "two")]
    cards = "".join(
        f"- {{id: {name}, kind: question, outcome: one, ask: What?, answer: So., unchecked: t}}\n"
        for name in names
    )
    found = by_card(files(*odd(tmp_path, "\n" + cards), tmp_path, "moodle")["A.xml"])
    ids = [question.findtext("idnumber") or "" for question in found.values()]
    assert len(set(ids)) == 2
    assert {len(name) for name in ids} == {100}


def test_moodle_asks_for_code_in_a_field_for_code(quiz: dict[str, ET.Element]) -> None:
    """Who mends a trap writes code, and gets letters of one width; a derivation has an editor."""
    assert quiz["wrong-square"].findtext("responseformat") == "monospaced"
    assert quiz["steps"].findtext("responseformat") == "editor"


def test_moodle_numbers_the_lines_that_a_trap_asks_for(quiz: dict[str, ET.Element]) -> None:
    """The key names a line by its number, so a learner needs to see it."""
    told = text_of(html_of(quiz["wrong-square"]))
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
