"""Clozes in Moodle: what its own patterns find in them, and what they are worth."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closedbook.export.lms import write_lms
from closedbook.export.lms.moodle_cloze import field, whole_points
from closedbook.paper.exam import Quantity
from tests.export.lms.moodle_reader import by_card, fields, html_of, text_of, worth
from tests.export.lms.papers import HOSTILE, NUMBER_GAPS, files, odd

QUARTERS = st.integers(1, 40).map(lambda quarters: Fraction(quarters, 4))


def cloze(text: str, name: str = "gaps-of") -> str:
    """A card with this text."""
    return f"""
- id: {name}
  kind: cloze
  outcome: one
  text: |
    {text}
  claims:
    - {{say: So it is., unchecked: a test}}
"""


def written(tmp_path: Path, text: str, points: str = "4") -> tuple[ET.Element, list[str]]:
    """The one question that is made of such a card, and what was told of it."""
    bank, plan = odd(tmp_path, cloze(text), points)
    found, problems = write_lms(bank, plan, tmp_path / "out", "moodle")
    return by_card(found[0].read_bytes())["gaps-of"], list(map(str, problems))


@pytest.mark.parametrize("answer", HOSTILE)
def test_a_field_holds_the_answer_as_it_is(answer: str) -> None:
    """Moodle finds the answer that the card has, and one more that is worth nothing."""
    (found,) = fields(f"<p>It {field(3, answer, None, 8)} is.</p>")
    (right, stored), (none, _) = found.answers
    assert (found.points, found.kind, right, none) == (3, "SHORTANSWER_C", "=", "%0%")
    assert stored == answer.replace("*", r"\*")  # which is how Moodle writes a star


def test_fields_tell_no_length(tmp_path: Path) -> None:
    """All fields of a cloze have one length, which Moodle takes from the longest answer."""
    text = "A {{c1::`x`}} is {{c2::`ctx.save_for_backward(x)`}} or {{c3::so}}."
    question, _ = written(tmp_path, text, "3")
    lengths = [max(len(answer) for _, answer in one.answers) for one in fields(html_of(question))]
    assert lengths == [24] * 3


def test_a_gap_that_is_a_number_is_compared_as_one(tmp_path: Path) -> None:
    """A number is right within the tolerance of a check of it, or else exactly."""
    bank, plan = odd(tmp_path, NUMBER_GAPS, "3")
    found = by_card(files(bank, plan, tmp_path, "moodle")["A.xml"])["gaps-of"]
    numbers = fields(html_of(found))
    assert [one.kind for one in numbers] == ["NUMERICAL"] * 3
    assert [one.answers[0][1] for one in numbers] == ["4:0.01", "2:0", "1e-06:0"]
    assert fields(field(2, "-0.5", Quantity(-0.5, 0.1), 4))[0].answers[0] == ("=", "-0.5:0.1")


@given(st.lists(QUARTERS, min_size=1, max_size=8))
def test_whole_points_add_up(shares: list[Fraction]) -> None:
    """The total stays, no gap is off by a point or left without, and whole points stay."""
    points = whole_points(shares)
    if points is None:
        assert sum(shares).denominator > 1 or min(map(int, shares)) == 0
        return
    assert sum(points) == sum(shares)
    assert min(points) > 0
    assert all(abs(given - wanted) < 1 for given, wanted in zip(points, shares, strict=True))
    if all(share.denominator == 1 for share in shares):
        assert points == shares


THREE = "A {{c1::one}}, {{c2::two}} and {{c3::three}}."


@pytest.mark.parametrize(
    ("text", "points", "kind", "told"),
    [
        (THREE, "6", "cloze", ""),
        (THREE, "4", "cloze", "are worth 1½ + 1½ + 1, and Moodle gives whole points to a gap: "),
        (THREE, "4", "cloze", "there they are 2 + 1 + 1\n"),
        (THREE, "1.5", "essay", "are worth ½ + ½ + ½, and Moodle gives whole points to a gap: "),
        (THREE, "1.5", "essay", "it is an essay there\n"),
        (THREE, "1.5", "essay", "give it 3 points here, or another multiple of 3"),
        ("A {{c1::word::a verb}}.", "2.5", "shortanswer", ""),
        ("A {{c1::7}}.", "2.5", "numerical", ""),
    ],
)
def test_a_cloze_is_worth_what_it_is_on_the_paper(
    tmp_path: Path, text: str, points: str, kind: str, told: str
) -> None:
    """A total of fractions stays too: one gap is a short answer; a change is told of."""
    question, problems = written(tmp_path, text, points)
    assert question.get("type") == kind
    assert worth(question) == float(points)
    assert len(problems) == bool(told)
    assert all(
        f"exams/all.yaml:6:13: warning: the gaps of card 'gaps-of' {told}" in problem
        or told in problem
        for problem in problems
    )


def test_one_gap_of_a_fraction_has_its_field_in_the_text(tmp_path: Path) -> None:
    """Moodle puts the field of a short answer where the first five underlines are."""
    text = "Not `_____`, but {{c1::word::a verb}}."
    question, _ = written(tmp_path, text, "2.5")
    assert html_of(question).index("_____ (a verb)") == html_of(question).index("_" * 20) + 15
    assert question.findtext("answer/text") == "word"
    assert text_of(html_of(question)) == f"Not _____, but {'_' * 20} (a verb)."


def test_gaps_in_code_are_fields_and_gaps_in_formulas_have_a_number(tmp_path: Path) -> None:
    """A formula has no field: its cloze is an essay, with a number at each gap."""
    code = "Then\n\n    ```python\n    y = x.{{c1::view_as}}(x)\n    ```"
    question, _ = written(tmp_path / "code", code)
    assert question.get("type") == "cloze"
    assert "y = x.{4:SHORTANSWER_C:=view_as~" in text_of(html_of(question))
    both = "In $y = {{c1::2x}}$ it is `2 * {{c2::x}}`, {{c3::so}}."
    question, _ = written(tmp_path / "maths", both)
    assert question.get("type") == "essay"
    assert text_of(html_of(question)) == r"In \(y = \boxed{[1]}\) it is 2 * [2], [3]."
    assert "1 point[3] so" in text_of(html_of(question, "graderinfo"))
