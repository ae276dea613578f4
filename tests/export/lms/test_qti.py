"""QTI packages: their files, their responses and how these are scored."""

from __future__ import annotations

import io
import os
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from closedbook.export.lms.qti import QTI, _pattern
from closedbook.export.lms.xhtml import to_xhtml
from closedbook.paper.exam import Variant
from closedbook.paper.plan import Plan
from closedbook.paper.points import points_text
from closedbook.verify.verified import VerifiedBank
from tests.export.lms.papers import HOSTILE, NUMBER_GAPS, SVG, files, odd


@pytest.fixture(scope="module")
def package(
    bank: VerifiedBank, plan: Plan, tmp_path_factory: pytest.TempPathFactory
) -> zipfile.ZipFile:
    """Variant A's package."""
    found = files(bank, plan, tmp_path_factory.mktemp("qti"), "qti")
    return packed(found)


def packed(found: dict[str, bytes]) -> zipfile.ZipFile:
    """The package among the files that were written."""
    return zipfile.ZipFile(io.BytesIO(found["A.zip"]))


def item(package: zipfile.ZipFile, card: str) -> ET.Element:
    """An item's root."""
    name = next(name for name in package.namelist() if name.endswith(f"-{card}.xml"))
    return ET.fromstring(package.read(name))  # noqa: S314 - written a moment ago


def test_qti_lists_every_file_once(package: zipfile.ZipFile) -> None:
    """The manifest names all files of the package, and the test holds the items in order."""
    manifest = ET.fromstring(package.read("imsmanifest.xml"))  # noqa: S314 - as above
    hrefs = [node.attrib["href"] for node in manifest.iter() if node.tag.endswith("}file")]
    assert sorted({*hrefs, "imsmanifest.xml"}) == sorted(package.namelist())
    test = ET.fromstring(package.read("test.xml"))  # noqa: S314 - as above
    refs = [node.attrib["href"] for node in test.iter(f"{{{QTI}}}assessmentItemRef")]
    assert [int(ref[1:].partition("-")[0]) for ref in refs] == list(range(1, 12))
    limit = test.find(f"{{{QTI}}}timeLimits")
    assert limit is not None
    assert limit.get("maxTime") == "2700"


def test_qti_scores_what_can_be_scored(package: zipfile.ZipFile, variant: Variant) -> None:
    """The right letters, the number within its tolerance, each blank; tasks take a file."""
    for question in variant.questions:
        root = item(package, question.card)
        right = [node.text for node in root.iterfind(f".//{{{QTI}}}correctResponse/{{{QTI}}}value")]
        if question.options:
            assert tuple(right) == question.right_letters
        if question.blanks:
            assert tuple(right) == question.blanks
        most = root.find(f"{{{QTI}}}outcomeDeclaration[@identifier='MAXSCORE']//{{{QTI}}}value")
        assert most is not None
        assert float(most.text or "") == question.points
    equal = item(package, "how-much").find(f".//{{{QTI}}}equal")
    assert equal is not None
    assert equal.get("tolerance") == "0.01 0.01"
    assert item(package, "write-square").find(f".//{{{QTI}}}uploadInteraction") is not None
    assert item(package, "steps").find(f".//{{{QTI}}}rubricBlock[@view='scorer']") is not None


def test_qti_lets_one_or_several_options_be_chosen(
    package: zipfile.ZipFile, variant: Variant
) -> None:
    """One box where one option is right, any number of them where several are; none is moved."""
    for card, most in (("choice", "1"), ("both", "0")):
        choice = item(package, card).find(f".//{{{QTI}}}choiceInteraction")
        assert choice is not None
        assert (choice.get("maxChoices"), choice.get("shuffle")) == (most, "false")
        question = next(one for one in variant.questions if one.card == card)
        shown = [one.get("identifier") for one in choice.iterfind(f"{{{QTI}}}simpleChoice")]
        assert shown == [option.letter for option in question.options]


def test_qti_puts_blanks_into_their_text(package: zipfile.ZipFile) -> None:
    """A cloze in running text is answered where its blanks are."""
    body = item(package, "words").find(f"{{{QTI}}}itemBody")
    assert body is not None
    entries = body.findall(f".//{{{QTI}}}span/{{{QTI}}}textEntryInteraction")
    assert len(entries) == 2


def test_qti_puts_blanks_of_formulas_below(package: zipfile.ZipFile) -> None:
    """A blank in code has its field there; one in a formula has a number, and a field below."""
    body = item(package, "gaps").find(f"{{{QTI}}}itemBody")
    assert body is not None
    assert len(body.findall(f".//{{{QTI}}}pre//{{{QTI}}}textEntryInteraction")) == 1
    below = body.findall(f"{{{QTI}}}p")
    assert [node.text for node in below] == ["[4] "]
    assert r"\boxed{[4]}" in "".join(body.itertext())
    fields = [
        node.get("responseIdentifier") for node in body.iter(f"{{{QTI}}}textEntryInteraction")
    ]
    assert sorted(map(str, fields)) == [f"RESPONSE{at}" for at in range(1, 6)]


def test_qti_numbers_a_list_as_the_card_does() -> None:
    """QTI's lists begin with 1, so that another number is text, on the line of its item."""
    shown = to_xhtml('<ol start="3"><li>a</li><li><p>b</p><p>c</p></li></ol><ol><li>d</li></ol>')
    assert ET.tostring(shown, encoding="unicode") == (
        '<div><ul class="numbered"><li>3. a</li><li><p>4. b</p><p>c</p></li></ul>'
        "<ol><li>d</li></ol></div>"
    )


def test_qti_has_no_element_that_it_does_not_know() -> None:
    """Of an element that QTI did not take over from XHTML only the text is left, in its place."""
    root = to_xhtml("<p>a <code>b()<wbr>.c</code> <mark>d <em>e</em></mark> f<br>g</p>")
    shown = ET.tostring(root, encoding="unicode")
    assert shown == "<div><p>a <code>b().c</code> d <em>e</em> f<br />g</p></div>"


@pytest.mark.skipif("QTI_XSD" not in os.environ, reason="QTI_XSD names no imsqti_v2p1.xsd")
def test_qti_is_valid(package: zipfile.ZipFile) -> None:
    """Every item and the test agree with the schema of QTI 2.1."""
    import warnings

    import xmlschema

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of schemas that it imports for what we do not use
        schema = xmlschema.XMLSchema(os.environ["QTI_XSD"], validation="lax")
    for name in package.namelist():
        if name.endswith(".xml") and name != "imsmanifest.xml":
            errors = [error.reason for error in schema.iter_errors(io.BytesIO(package.read(name)))]
            assert errors == [], name


def test_qti_numbers_the_lines_that_a_trap_asks_for(package: zipfile.ZipFile) -> None:
    """The key names a line by its number, so a learner needs to see it."""
    told = "".join(item(package, "wrong-square").itertext())
    assert " 1  class SquareWrong(torch.autograd.Function):\n 2      @staticmethod" in told
    assert "12          return 3 * ctx.x * grad_output" in told


def test_qti_writes_numbers_with_a_dot(tmp_path: Path) -> None:
    """No number is written with an exponent, which not every platform reads; nan is no number."""
    cards = """
- {id: not, kind: question, outcome: one, ask: What?, answer: nan, unchecked: a word}
- {id: small, kind: question, outcome: one, ask: What?, answer: 2e-6, unchecked: so}
- id: near
  kind: question
  outcome: one
  ask: What?
  answer: "4"
  check:
    run: gradient_of_square
    with: {function: Square}
    expect: {grad: {value: 4.0, atol: 1e-6, rtol: 0}}
"""
    package = packed(files(*odd(tmp_path, cards), tmp_path, "qti"))
    values = {
        card: [node.text for node in item(package, card).iter(f"{{{QTI}}}value")]
        for card in ("not", "small", "near")
    }
    assert values == {
        "not": ["0.0", "4.0"],
        "small": ["0.000002", "0.0", "4.0"],
        "near": ["4.0", "0.0", "4.0"],
    }
    equal = item(package, "near").find(f".//{{{QTI}}}equal")
    assert equal is not None
    assert equal.get("tolerance") == "0.000001 0.000001"


def test_qti_takes_a_file_by_its_name(package: zipfile.ZipFile) -> None:
    """A task has a place for each file that it asks for, and no other."""
    root = item(package, "write-square")
    uploads = root.findall(f".//{{{QTI}}}uploadInteraction")
    asked = [upload.findtext(f"{{{QTI}}}prompt") for upload in uploads]
    assert asked == ["square.py", "broken.py", "quote.txt"]
    declared = root.findall(f"{{{QTI}}}responseDeclaration")
    assert [node.get("baseType") for node in declared] == ["file"] * 3
    assert {node.get("identifier") for node in declared} == {
        upload.get("responseIdentifier") for upload in uploads
    }


def test_qti_shows_what_a_part_is_worth(package: zipfile.ZipFile, variant: Variant) -> None:
    """Each lettered part has its points, as on the paper."""
    told = "".join(item(package, "steps").itertext())
    question = next(one for one in variant.questions if one.card == "steps")
    assert len(question.parts) == 2
    for part in question.parts:
        assert f"{part.label}, {points_text(part.points)}" in told


def test_qti_gives_nothing_away_by_a_title(package: zipfile.ZipFile, variant: Variant) -> None:
    """A candidate sees the number of a question, not its card, whose name may tell the fault."""
    titles = [item(package, question.card).get("title") for question in variant.questions]
    assert titles == [f"Question {number}" for number in range(1, 12)]


def test_qti_shows_rules_and_introductions(tmp_path: Path) -> None:
    """Rules stand above the first section, what a section says above its own; with figures."""
    blueprint = """\
title: Odd
minutes: 45
rules: Closed **book**.
sections:
  - title: First
    intro: See ![a square](../cards/unit/square.svg).
    minutes: 5
    cards: [{cards}]
    points: {points}
  - title: Second
    cards: [short]
    points: 1
"""
    card = "\n- {id: so, kind: question, outcome: one, ask: What?, answer: So., unchecked: t}\n"
    bank, plan = odd(tmp_path, card, blueprint=blueprint, **{"cards/unit/square.svg": SVG})
    package = packed(files(bank, plan, tmp_path, "qti"))
    test = ET.fromstring(package.read("test.xml"))  # noqa: S314 - as above
    told = [
        ["".join(rubric.itertext()) for rubric in section.findall(f"{{{QTI}}}rubricBlock")]
        for section in test.iter(f"{{{QTI}}}assessmentSection")
    ]
    assert told == [["Closed book.", "4 points, 5 minutesSee ."], ["1 point"]]
    assert {node.get("view") for node in test.iter(f"{{{QTI}}}rubricBlock")} == {"candidate"}
    (image,) = test.iter(f"{{{QTI}}}img")
    assert image.get("src") in package.namelist()


def test_qti_brings_its_look(package: zipfile.ZipFile) -> None:
    """Every item and section names the style sheet of the package, which knows its classes."""
    sheet = package.read("style.css").decode()
    shown = item(package, "wrong-square")
    links = [node.get("href") for node in shown.iter(f"{{{QTI}}}stylesheet")]
    assert links == ["style.css"]
    classes = {node.get("class") for node in shown.iter(f"{{{QTI}}}span")}
    assert {"k", "nc"} <= classes
    assert ".highlight .k { color: " in sheet
    assert "td { border: " in sheet


@pytest.mark.parametrize("answer", [*HOSTILE, "$x$", "^x", "[a-z]", "a|b", "(3, 4)", "x?"])
def test_qti_compares_an_answer_letter_for_letter(answer: str) -> None:
    """The pattern matches the answer, with blanks around it or not, and nothing longer."""
    pattern = _pattern(answer).replace("$", r"\$")  # no end of a text in a pattern of XML Schema
    assert re.fullmatch(pattern, answer)
    assert re.fullmatch(pattern, f"  {answer} ")
    assert not re.fullmatch(pattern, f"x{answer}")
    assert not re.fullmatch(pattern, f"{answer}x")
    assert not re.fullmatch(pattern, answer.swapcase()) or answer.swapcase() == answer


def test_qti_compares_numbers_as_numbers(tmp_path: Path) -> None:
    """A gap that is a number is right within the tolerance of a check of it, or else exactly."""
    package = packed(files(*odd(tmp_path, NUMBER_GAPS, "3"), tmp_path, "qti"))
    root = item(package, "gaps-of")
    declared = root.findall(f"{{{QTI}}}responseDeclaration")
    assert [node.get("baseType") for node in declared] == ["float"] * 3
    right = [node.findtext(f".//{{{QTI}}}value") for node in declared]
    assert right == ["4.0", "2.0", "0.000001"]
    modes = [node.get("tolerance") for node in root.iter(f"{{{QTI}}}equal")]
    assert modes == ["0.01 0.01", None, None]
