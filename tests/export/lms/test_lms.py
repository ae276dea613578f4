"""Exams for learning platforms, browsers and LaTeX: the same questions, answered the same way."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import zipfile
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from pypdf import PdfReader

from closedbook.export.lms import FORMATS, write_lms
from closedbook.export.lms.latex import escape
from closedbook.export.lms.qti import QTI
from closedbook.export.lms.xhtml import to_xhtml
from closedbook.paper.exam import Variant
from closedbook.paper.make import Maker
from closedbook.paper.plan import Plan, make_plan
from closedbook.verify.verified import VerifiedBank
from tests.export.exam.kinds import every_kind

NUMBERS = """
- id: how-much
  kind: question
  outcome: two
  ask: What is the gradient of `Square` at 2?
  answer: "4"
  check:
    run: gradient_of_square
    with: {function: Square}
    expect:
      grad: {value: 4.0, atol: 0.01, rtol: 0}
- id: which-call
  kind: question
  outcome: two
  ask: "Which method keeps tensors? <b>&amp;</b> ]]> {=x} \\\\(y\\\\)"
  typed: true
  answer: "`ctx.save_for_backward*`"
  unchecked: the name of a method
- id: words
  kind: cloze
  outcome: two
  text: "It {{c1::saves::a verb}} with {{c2::`a~b}#c/d`}},
    {1:SHORTANSWER:=x} $$ \\\\\\\\(y\\\\\\\\)."
  claims:
    - say: It saves one tensor.
      check:
        run: Square
        with:
          x: (2,)
        expect:
          saved.count: 1
- id: drawn
  kind: question
  outcome: one
  ask: "See ![a small square](square.svg)."
  answer: Seen.
  unchecked: a picture
"""
SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>
"""
MORE = """\
title: Every <kind> & "more"
minutes: 45
variants: 2
seed: 11
sections:
  - title: All
    cards: [short, choice, both, gaps, steps, wrong-square, how-much, which-call, words, drawn]
    points: 4
  - title: File
    cards: [write-square]
    points: 10
"""


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> VerifiedBank:
    """Every kind of card, a number, a typed answer, a cloze in running text, a figure."""
    root = tmp_path_factory.mktemp("lms")
    return every_kind(root, NUMBERS, MORE, **{"cards/unit/square.svg": SVG})


@pytest.fixture(scope="module")
def plan(bank: VerifiedBank) -> Plan:
    """Its plan."""
    plan, problems = make_plan(bank, bank.bank.blueprints[0])
    assert plan is not None, "\n".join(map(str, problems))
    return plan


@pytest.fixture(scope="module")
def variant(bank: VerifiedBank, plan: Plan) -> Variant:
    """Variant A."""
    return Maker(bank, plan).variant(0)


def files(bank: VerifiedBank, plan: Plan, folder: Path, form: str) -> dict[str, bytes]:
    """What the format writes."""
    found, problems = write_lms(bank, plan, folder / form, form)
    assert found, "\n".join(map(str, problems))
    return {path.name: path.read_bytes() for path in found}


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_format_writes_the_same_bytes_again(
    bank: VerifiedBank, plan: Plan, tmp_path: Path, form: str
) -> None:
    """Each format writes its variants and the manifest, and a second run changes no byte."""
    once = files(bank, plan, tmp_path / "1", form)
    assert files(bank, plan, tmp_path / "2", form) == once
    manifest = json.loads(once["manifest.json"])
    assert [entry["label"] for entry in manifest["variants"]] == ["A", "B"]


def test_variants_of_an_earlier_run_do_not_stay(
    bank: VerifiedBank, plan: Plan, tmp_path: Path
) -> None:
    """A folder holds the variants of its manifest, and what else its owner put there."""
    files(bank, plan, tmp_path, "html")
    (tmp_path / "html" / "notes.html").write_text("mine")
    files(bank, replace(plan, labels=("A",), variants=plan.variants[:1]), tmp_path, "html")
    assert {path.name for path in (tmp_path / "html").iterdir()} == {
        "A.html", "A-key.html", "manifest.json", "notes.html",
    }  # fmt: skip


# ---- Moodle -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def quiz(
    bank: VerifiedBank, plan: Plan, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, ET.Element]:
    """Variant A's questions by card."""
    found = files(bank, plan, tmp_path_factory.mktemp("moodle"), "moodle")
    root = ET.fromstring(found["A.xml"])  # noqa: S314 - written a moment ago
    return {
        re.search(r"\((.*)\)$", node.findtext("name/text") or "")[1]: node  # type: ignore[index] # every name ends in its card
        for node in root.findall("question")
        if node.get("type") != "category"
    }


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
    assert r"{1:SHORTANSWER:=x} $$ \(y\)." in "".join(to_xhtml(html).itertext())


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


# ---- QTI ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def package(
    bank: VerifiedBank, plan: Plan, tmp_path_factory: pytest.TempPathFactory
) -> zipfile.ZipFile:
    """Variant A's package."""
    found = files(bank, plan, tmp_path_factory.mktemp("qti"), "qti")
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


def test_platforms_number_the_lines_that_a_trap_asks_for(
    package: zipfile.ZipFile, quiz: dict[str, ET.Element]
) -> None:
    """The key names a line by its number, so a learner needs to see it."""
    told = [
        "".join(item(package, "wrong-square").itertext()),
        "".join(ET.fromstring(f"<x>{text.text}</x>").itertext())  # noqa: S314 - our own text
        if (text := quiz["wrong-square"].find("questiontext/text")) is not None
        else "",
    ]
    for text_of in told:
        assert " 1  class SquareWrong(torch.autograd.Function):\n 2      @staticmethod" in text_of
        assert "12          return 3 * ctx.x * grad_output" in text_of


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


# ---- the page -----------------------------------------------------------------------------------


class _Page(HTMLParser):
    def __init__(self, html: bytes) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html.decode())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


@pytest.fixture(scope="module")
def pages(
    bank: VerifiedBank, plan: Plan, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, bytes]:
    """The pages by name."""
    return files(bank, plan, tmp_path_factory.mktemp("html"), "html")


def test_a_page_needs_no_network(pages: dict[str, bytes]) -> None:
    """Nothing in it is fetched: no address but of XML's own names, figures and formulas inside."""
    for name in ("A.html", "A-key.html"):
        page = _Page(pages[name])
        for tag, fields in page.tags:
            for field in ("src", "href", "action"):
                value = fields.get(field)
                assert value is None or value.startswith(("data:", "#")), (tag, value)
        assert b"@import" not in pages[name]
        assert any(tag == "svg" and fields.get("aria-label") for tag, fields in page.tags)


def test_a_page_can_be_sat(pages: dict[str, bytes], variant: Variant) -> None:
    """Each question has fields, with one name for the boxes of one question."""
    page = _Page(pages["A.html"])
    fields = [attributes for tag, attributes in page.tags if tag in ("input", "textarea")]
    assert all(field.get("name") for field in fields)
    for question in variant.questions:
        own = [
            f
            for f in fields
            if re.match(rf"q{question.number}\D|q{question.number}$", f["name"] or "")
        ]
        if question.options:
            assert [field["value"] for field in own] == [o.letter for o in question.options]
        elif question.blanks:
            assert len(own) == len(question.blanks)
        elif question.hand_in is None:
            assert len(own) == len(question.parts)


def test_a_page_holds_no_answer(pages: dict[str, bytes]) -> None:
    """Neither answers nor reasons nor evidence are in the page that learners get."""
    for words in (
        b"The power rule",
        b"torch 2.13.0",
        b'class="right"',
        b"a~b}#c/d",
        b"saved_tensors",
    ):
        assert words in pages["A-key.html"]
        assert words not in pages["A.html"]


def test_hostile_text_is_text_on_the_page(pages: dict[str, bytes]) -> None:
    """Markup that an author wrote is shown, not run."""
    assert b"&lt;b&gt;&amp;&lt;/b&gt; ]]&gt;" in pages["A.html"]
    assert b"<title>Every &lt;kind&gt; &amp; &#34;more&#34;: Variant A</title>" in pages["A.html"]


# ---- LaTeX --------------------------------------------------------------------------------------


def test_latex_escapes_every_sign() -> None:
    """No character of a text is a command of TeX."""
    shown = escape("\\ { } $ & # % _ ^ ~ < > \" ' ` -- * [x] \\end{document}")
    left = re.sub(r"\\(?:[{}$&#%_]|text[a-z]+\{\})|\{[-\[\]*]\}", "", shown)
    assert left.split() == ["x", "enddocument"]


def test_latex_has_the_questions_and_the_key_apart(
    bank: VerifiedBank, plan: Plan, variant: Variant, tmp_path: Path
) -> None:
    """The paper has every question with its points and no answer; the key marks the right boxes."""
    found = files(bank, plan, tmp_path, "latex")
    paper, key = found["A.tex"].decode(), found["A-key.tex"].decode()
    assert paper.count("\\question [") == len(variant.questions)
    assert paper.count("{") - paper.count("\\{") == paper.count("}") - paper.count("\\}")
    assert "\\CorrectChoice" not in paper
    assert "The power rule" not in paper
    assert key.count("\\CorrectChoice") == 3
    assert re.findall(r"\\textbf\{Question (\d+): [A-D]", key) == [
        str(question.number) for question in variant.questions if question.options
    ]


def test_latex_finds_its_figures_beside_it(bank: VerifiedBank, plan: Plan, tmp_path: Path) -> None:
    """Each figure that a file includes lies beside it, as a PDF of the figure's own size."""
    found = files(bank, plan, tmp_path, "latex")
    shown = set(re.findall(r"\\includegraphics\[[^]]*\]\{([^}]*)\}", found["A.tex"].decode()))
    assert shown
    for name in shown:
        page = PdfReader(io.BytesIO(found[name])).pages[0]
        assert 6 < float(page.mediabox.width) < 12


@pytest.mark.skipif(shutil.which("lualatex") is None, reason="needs LuaLaTeX and the exam class")
@pytest.mark.parametrize("name", ["A", "A-key"])
def test_latex_is_set_by_a_real_engine(
    bank: VerifiedBank, plan: Plan, tmp_path: Path, name: str
) -> None:
    """LuaLaTeX sets paper and key without a mistake, nothing too wide, what was hostile as text."""
    for file, data in files(bank, plan, tmp_path, "latex").items():
        (tmp_path / file).write_bytes(data)
    command = ["lualatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    run = subprocess.run(
        [*command, f"{name}.tex"], cwd=tmp_path, capture_output=True, timeout=300, check=False
    )
    log = run.stdout.decode(errors="replace")
    assert run.returncode == 0, log[-2000:]
    assert [line for line in log.splitlines() if line.startswith(("!", "Overfull"))] == []
    text = "".join(page.extract_text() for page in PdfReader(tmp_path / f"{name}.pdf").pages)
    assert "<b>&</b>]]>{=x}" in "".join(text.split())
