"""Over random banks and blueprints, the key's letters answer the paper's options."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings

from closedbook.export.exam import write_exam
from closedbook.export.exam.readback import read, squeeze
from closedbook.paper.make import Maker
from closedbook.render.typst.nodes import CODE_BLANK
from tests.export.exam.kinds import every_kind
from tests.export.exam.test_write import ONE, page_texts, plan_of, written
from tests.paper.test_plan import bank, banks_and_blueprints, planned

SIGN = "\u1200"
"""A sign that no font of the wheel has."""

OPTION = re.compile(r"([A-D])(\d+|Noneofthese\.)(?=[A-D]|$|\D)")


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(made=banks_and_blueprints())
def test_the_keys_letters_answer_the_papers(
    tmp_path_factory: pytest.TempPathFactory, made: tuple[str, str, int]
) -> None:
    """The option that the paper prints at the key's letter is the drawn number that is right."""
    cards, text, _ = made
    root = tmp_path_factory.mktemp("bank")
    verified = bank(root, cards, text)
    files, problems = write_exam(verified, planned(verified), root / "out")
    assert files, "\n".join(map(str, problems))
    manifest = json.loads((root / "out" / "manifest.json").read_text(encoding="utf-8"))
    for variant in manifest["variants"]:
        paper = read((root / "out" / f"{variant['label']}.pdf").read_bytes()).asked
        key = read((root / "out" / f"{variant['label']}-key.pdf").read_bytes()).answers
        for question in variant["questions"]:
            if "options" not in question:
                continue
            number = question["number"]
            stem = squeeze(
                f"Card {question['card'].removeprefix('choice-')}: what is {question['draw']['n']}?"
            )
            printed = paper[paper.index(stem) + len(stem) :]
            options = dict(OPTION.findall(printed.partition("Question")[0].partition("Part")[0]))
            letter = re.search(rf"Question{number}:([A-D])\.", key)
            assert letter is not None
            assert options[letter[1]] == str(question["draw"]["n"])
    shutil.rmtree(root)


SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30">
<text x="2" y="20" font-size="12">{}</text></svg>
"""


def test_a_figure_is_printed_with_its_alternative_text(tmp_path: Path) -> None:
    """A figure stands on paper and key; one in an answer stands on the key alone."""
    card = (
        "- id: odd\n  kind: question\n  outcome: one\n  ask: See ![a drawn arrow](arrow.svg).\n"
        "  answer: As ![the other arrow](other.svg).\n  unchecked: a test\n"
    )
    figures = {
        "cards/unit/arrow.svg": SVG.format("arrow"),
        "cards/unit/other.svg": SVG.format("other"),
    }
    files = written(every_kind(tmp_path, card, ONE.format("odd"), **figures), tmp_path / "out")
    paper, key = files["A.pdf"], files["A-key.pdf"]
    assert b"a drawn arrow" in paper
    assert b"a drawn arrow" in key
    assert b"the other arrow" in key
    assert b"the other arrow" not in paper
    assert "other" not in "".join(page_texts(paper))


def font_with(sign: str) -> Path | None:
    """A font of this machine that has the sign."""
    import subprocess

    if shutil.which("fc-match") is None:
        return None
    asked = ["fc-list", f":charset={ord(sign):x}", "file"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=30).stdout
    paths = [Path(line.rstrip(": ")) for line in sorted(found.splitlines())]
    return next((path for path in paths if path.suffix in (".ttf", ".otf")), None)


@pytest.mark.skipif(font_with(SIGN) is None, reason="no font of this machine has the sign")
def test_a_font_of_the_bank_is_used(tmp_path: Path) -> None:
    """A sign that the fonts at hand lack is printed with a font of the bank's own."""
    card = f"- id: odd\n  kind: question\n  outcome: one\n  ask: Say {SIGN}.\n  answer: So.\n"
    card += "  unchecked: a test\n"
    root = tmp_path / "bank"
    verified = every_kind(root, card, ONE.format("odd"))
    files, problems = write_exam(verified, plan_of(verified), tmp_path / "without")
    assert files == []
    assert f"no font at hand has '{SIGN}'" in str(problems[0])
    font = font_with(SIGN)
    assert font is not None
    (root / "fonts").mkdir()
    shutil.copyfile(font, root / "fonts" / font.name)
    assert SIGN in "".join(page_texts(written(verified, tmp_path / "with")["A.pdf"]))


GAPS = r"""
- id: code-gaps
  kind: cloze
  outcome: one
  text: |
    It calls `backward({{c1::ctx}}, grad)`.

    ```python
    def forward({{c2::inside::where}}):
        {{c3::first = 1
        second = 2}}
    ```
  claims:
    - {say: It is so., unchecked: An example.}
"""


def test_what_fills_a_gap_in_code_has_the_keys_ink(tmp_path: Path) -> None:
    """On the paper there is a blank and its hint; on the key the code itself, told apart."""
    files = written(
        every_kind(tmp_path, GAPS, ONE.format("code-gaps").replace("points: 1", "points: 3")),
        tmp_path / "out",
    )
    paper, key = read(files["A.pdf"]), read(files["A-key.pdf"])
    assert f"defforward({CODE_BLANK}(where)):{CODE_BLANK}" in paper.asked
    assert "defforward():" in key.asked
    for filling in ("ctx", "inside", "first=1", "second=2"):
        assert filling in key.answers
        assert filling not in paper.asked


FORMULA = """
- id: formula
  kind: question
  outcome: one
  ask: What is it, with `x` (2,)?
  answer: "`2 * x * grad_output`."
  check:
    run: Square
    with: {x: "(2,)"}
    expect:
      grad_x.shape: "(2,)"
      grad_x: {formula: "2 * x * grad_output"}
"""


def test_a_fact_that_was_held_against_a_formula_shows_the_formula(tmp_path: Path) -> None:
    """Not the ten digits of whatever numbers it was tried on; a value is shown as one."""
    verified = every_kind(tmp_path, FORMULA, ONE.format("formula"))
    key = read(written(verified, tmp_path / "out")["A-key.pdf"])
    assert "grad_x.shape→'(2,)'grad_x=2*x*grad_output" in key.answers


def test_a_short_answer_stays_on_its_page(tmp_path: Path) -> None:
    """What a grader reads at one look is not parted by the end of a page; what is long may be."""
    cards = "".join(
        f"""
- id: c{number:02}
  kind: question
  outcome: one
  unchecked: It is said.
  ask: Which one?
  options: [right: This., {{wrong: That., because: No.}}]
  why: "{"A word. " * (10 + 3 * number)} Endof{number}."
"""
        for number in range(16)
    )
    names = ", ".join(f"c{number:02}" for number in range(16))
    sections = f"sections:\n  - {{title: All, points: 1, cards: [{names}]}}\n"
    verified = every_kind(tmp_path, cards, f"title: Sixteen\nminutes: 5\n{sections}")
    pages = page_texts(written(verified, tmp_path / "out")["A-key.pdf"])
    assert len(pages) > 2
    for page in pages:
        assert page.count(": A.") + page.count(": B.") == page.count("Endof")


def test_an_answer_that_is_longer_than_a_page_goes_on(tmp_path: Path) -> None:
    """To the last word."""
    words = "".join(f"Word {number}. " for number in range(2500))
    card = f"""
- id: long
  kind: question
  outcome: one
  unchecked: It is said.
  ask: Which one?
  options: [right: This., {{wrong: That., because: No.}}]
  why: "{words}"
"""
    verified = every_kind(tmp_path, card, ONE.format("long"))
    key = read(written(verified, tmp_path / "out")["A-key.pdf"])
    assert squeeze(words) in key.answers
    assert key.pages > 2


def test_the_key_gives_out_all_points_of_a_question(tmp_path: Path) -> None:
    """Whatever its kind: no more, and no fewer."""
    verified = every_kind(tmp_path)
    for question in Maker(verified, plan_of(verified)).variant(0).questions:
        assert sum(award.points for award in question.all_awards) == question.points


FORMULA_GAPS = r"""
- id: formula-gaps
  kind: cloze
  outcome: one
  text: |
    It is $n^{ {{c1::-k::a sign}} }$ of $\frac{ {{c2::a+b}} }{ {{c1::c}} }$.
  claims:
    - {say: It is so., unchecked: An example.}
"""


@pytest.mark.parametrize("large", [False, True])
def test_gaps_in_formulas_have_lines_and_the_key_fills_them(tmp_path: Path, large: bool) -> None:
    """The paper prints numbers and hints alone; paper and key are read back as one question."""
    card = ONE.format("formula-gaps").replace("points: 1", "points: 3")
    verified = every_kind(tmp_path, FORMULA_GAPS, card)
    files = written(verified, tmp_path / "out", large_print=large)
    paper, key = read(files["A.pdf"]), read(files["A-key.pdf"])
    assert "(asign)" in paper.asked
    assert paper.answers == ""
    assert sum(page.count("123") for page in paper.furniture) == 2
    for filling in (
        "\N{MINUS SIGN}\N{MATHEMATICAL ITALIC SMALL K}",
        "\N{MATHEMATICAL ITALIC SMALL C}",
    ):
        assert filling not in paper.asked
        assert key.answers.count(filling) >= 2


SHORT = r"""
- id: formula-answer
  kind: question
  outcome: one
  ask: What is it?
  answer: $\frac{m}{n} \cdot k$
  unchecked: A test.
- id: parts-answer
  kind: derivation
  outcome: one
  ask: Derive.
  steps:
    - {ask: Where?, answer: "It is $2^{-n}$ away.", unchecked: A test.}
    - {ask: What?, answer: "`x * y`.", unchecked: A test.}
- id: wide-answer
  kind: question
  outcome: one
  ask: What is it?
  answer: $a\!+\!b\!+\!c\!+\!d\!+\!e\!+\!f\!+\!g\!+\!h$
  unchecked: A test.
"""


def test_the_marking_sheet_sets_formulas_and_code(tmp_path: Path) -> None:
    """No LaTeX is printed; each lettered part has a line of its own."""
    names = "formula-answer, parts-answer"
    card = ONE.format(names).replace("points: 1", "points: 2, shuffle: none")
    verified = every_kind(tmp_path, SHORT, card)
    sheet = read(written(verified, tmp_path / "out")["marking.pdf"]).asked
    assert "frac" not in sheet
    assert "{" not in sheet
    assert "\N{MATHEMATICAL ITALIC SMALL M}" in sheet
    assert "aItis2\N{MINUS SIGN}\N{MATHEMATICAL ITALIC SMALL N}away.bx*y." in sheet


def test_a_formula_that_is_wider_than_its_column_is_left_to_the_key(tmp_path: Path) -> None:
    """With one variant there is room for it, with six there is none."""
    for variants, told in ((1, False), (6, True)):
        exam = ONE.format("wide-answer").replace("variants: 1", f"variants: {variants}")
        verified = every_kind(tmp_path / str(variants), SHORT, exam)
        sheet = read(written(verified, tmp_path / f"out-{variants}")["marking.pdf"]).asked
        assert ("seekey" in sheet) == told
