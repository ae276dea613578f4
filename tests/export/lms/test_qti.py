"""QTI packages: their files, their responses and how these are scored."""

from __future__ import annotations

import io
import os
import zipfile
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from closedbook.export.lms.qti import QTI
from closedbook.export.lms.xhtml import to_xhtml
from closedbook.paper.exam import Variant
from closedbook.paper.plan import Plan
from closedbook.verify.verified import VerifiedBank
from tests.export.lms.papers import files, odd


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
