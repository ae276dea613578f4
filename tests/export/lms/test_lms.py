"""Exams for learning platforms, browsers and LaTeX: the same questions, answered the same way."""

from __future__ import annotations

import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pypdf import PdfReader

from closedbook.export.lms import FORMATS
from closedbook.export.lms.latex import escape, to_latex
from closedbook.paper.exam import Variant
from closedbook.paper.plan import Plan
from closedbook.render.markdown import parse
from closedbook.verify.verified import VerifiedBank
from tests.export.lms.papers import files


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


def test_latex_has_a_line_below_for_each_gap_in_a_formula() -> None:
    r"""As in the PDF: `$x^{ {{c1::n}} }$` is a numbered box, its blank as long as all others."""
    text = "$x^{ {{c1::n::what}} }$ and {{c2::word}} and `f({{c3::x}})`"
    document, _ = parse(text, cloze=True)
    asked, filled = to_latex(document), to_latex(document, filled=True)
    assert "$x^{ \\boxed{\\mbox{\\small 1}} }$" in asked
    assert "\\fbox{\\small 1} \\rule{4cm}{0.4pt} (what)" in asked
    assert asked.count("\\rule{4cm}{0.4pt}") == 3
    assert "\\fbox{\\small 1} \\underline{$n$}" in filled
    assert "\\rule{4cm}" not in filled


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
