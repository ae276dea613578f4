"""LaTeX to Typst: what is set is set right, and the rest is refused at its place."""

from __future__ import annotations

import io
import json
import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest
import tylax
import typst
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from closedbook.render.latex import symbols
from closedbook.render.maths import for_mathjax, translate
from closedbook.render.tree import GapSpan
from closedbook.render.typst.compiler import library

HERE = Path(__file__).parent
LINES = (HERE / "formulas.txt").read_text("utf-8").splitlines()
FORMULAS = [line for line in LINES if line and not line.startswith("#")]
PAGES = """
#import "tree.typ": formula
#set document(title: "Formulas")
#set page(width: 60cm, height: 12cm)
#for (number, source) in json(bytes(sys.inputs.data)).enumerate() {
  if number > 0 { pagebreak() }
  math.equation(formula(source, ()), alt: "a formula", block: true)
}
"""


def glyphs(sources: list[str]) -> list[Counter[str]]:
    """The characters that Typst prints for each formula, in whatever style; spaces left out."""
    files = {"main.typ": PAGES.encode(), **library()}
    pdf = typst.compile(files, sys_inputs={"data": json.dumps(sources)}, pdf_standards=["ua-1"])
    pages = PdfReader(io.BytesIO(pdf)).pages
    return [Counter(folded(page.extract_text())) for page in pages]


def folded(text: str) -> str:
    """Mathematical alphabets as plain letters."""
    return "".join(unicodedata.normalize("NFKC", text).split())


@pytest.fixture(scope="module")
def printed() -> dict[str, Counter[str]]:
    """Each formula of the list and its printed characters."""
    typsts = [formula.typst for tex in FORMULAS if (formula := translate(tex, block=True)[0])]
    return dict(zip(FORMULAS, glyphs(typsts), strict=True))


def test_every_formula_of_the_list_is_set() -> None:
    """At least sixty formulas of matrix calculus and differentiation are accepted."""
    refused = {tex: translate(tex, block=True)[1] for tex in FORMULAS}
    assert not {tex: problems for tex, problems in refused.items() if problems}
    assert len(FORMULAS) >= 60


def test_formulas_are_those_that_somebody_looked_at() -> None:
    """Typst is given what it was given for docs/formulas.png (see tools/formula_sheet.py)."""
    golden = (HERE / "formulas_golden.txt").read_text("utf-8")
    now = ""
    for tex in FORMULAS:
        formula, _ = translate(tex, block=True)
        assert formula is not None
        now += f"{tex}\n    {formula.typst}\n    {formula.spoken}\n"
    assert now == golden


def expected(tex: str) -> Counter[str]:
    """What must be printed at least: each symbol of the table, each letter and digit."""
    found: Counter[str] = Counter()
    tex = re.sub(r"\\(begin|end)\{[a-zA-Z*]+\}(\{[lcr]+\})?", " ", tex)
    tex = re.sub(r"\\not(=|\\in)", " ", tex.replace(r"\sqrt[3]", "3"))
    tex = re.sub(r"\\phantom\{[^{}]*\}", " ", tex)
    for name in re.findall(r"\\([A-Za-z]+)", tex):
        if name in symbols.SYMBOLS and name not in ("imath", "ldots", "dots", "cdots"):
            found.update(folded(symbols.SYMBOLS[name][0]))
    rest = re.sub(r"\\[A-Za-z]+\*?|\\.", " ", tex)
    found.update(ch for ch in rest if ch.isalnum() or ch in "()[]+=<>!:;")
    return found


@pytest.mark.parametrize("tex", FORMULAS)
def test_nothing_is_lost(printed: dict[str, Counter[str]], tex: str) -> None:
    """Every letter, digit, bracket and symbol that the author typed is on the paper."""
    shown = printed[tex]
    # an accented letter may be printed as one character
    bases = (unicodedata.normalize("NFD", ch)[0] for ch in shown.elements() if not ch.isascii())
    shown = shown + Counter(base for base in bases if base.isascii())
    assert not {ch: n for ch, n in expected(tex).items() if shown[ch] < n}


# What another translator of LaTeX to Typst, tylax 0.3.8, loses or prints otherwise: brackets
# with a size, \middle, \mathrm's underscore, cells with commas, long arrows, accents, …
TYLAX_DIFFERS = re.compile(
    r"\\[bB]ig|\\middle|\\bar|\\_|\\overset|\\iff|\\implies|5; 6|\\imath|\\mathring|\\nolimits"
    r"|\\mathscr|\\left\\\|"
)


def test_another_translator_prints_the_same(printed: dict[str, Counter[str]]) -> None:
    """Where tylax is known to be right, both put the same characters on the paper."""
    options = tylax.L2TOptions(frac_to_slash=False)
    common = [tex for tex in FORMULAS if not TYLAX_DIFFERS.search(tex)]
    theirs = glyphs([tylax.latex_to_typst(tex, options=options) for tex in common])
    assert len(common) > 60
    assert theirs == [printed[tex] for tex in common]


REFUSED = [
    (r"x + \R^n", 4, r"\R is not set: write \mathbb{R}"),
    (r"\aplha", 0, r"unknown command \aplha (did you mean '\alpha'?)"),
    (r"a + \tag{1}", 4, "no numbered formulas"),
    (r"\textbf{x}", 0, r"write \mathbf"),
    (r"\texttt{a\_b}", 0, r"write \mathtt"),
    (r"\text{#read(1)}", 6, "'#' within \\text"),
    (r"\text{if $x$}", 9, "'$' within \\text"),
    (r"\text{a_b}", 7, r"write \_"),
    (r"\text{a \alpha}", 8, "within \\text"),
    (r"a # b", 2, r"write \#"),
    (r"50% of x", 2, r"write \%"),
    (r"a & b", 2, "'&' outside"),
    (r"a \\ b", 2, "outside a matrix"),
    (r"{x", 0, "'{' is not closed"),
    (r"x}", 1, "'}' that closes nothing"),
    (r"x^2^3", 3, "two exponents"),
    (r"x_1_2", 3, "two indices"),
    (r"x^2'", 3, "a prime behind an exponent"),
    (r"x^", 1, "nothing to stand on"),
    (r"\frac{a}", 0, r"\frac takes two things: write \frac{…}{…}"),
    (r"\overset{a}", 0, r"\overset takes two things: write \overset{…}{…}"),
    (r"\binom", 0, r"\binom takes two things: write \binom{…}{…}"),
    (r"\sqrt", 0, r"\sqrt has nothing to stand on: write \sqrt{…}"),
    (r"\left( x", 0, r"this \left has no \right"),
    (r"x \right)", 2, r"this \right has no \left"),
    (r"\left x \right)", 6, "needs a delimiter"),
    (r"\bigl x", 6, "needs a delimiter"),
    (r"\begin{pmatrix} a", 0, r"has no \end{pmatrix}"),
    (r"\begin{pmatrix} a \end{bmatrix}", 23, r"ends with \end{bmatrix}"),
    (r"\begin{pmatirx} a \end{pmatirx}", 7, "did you mean 'pmatrix'?"),
    (r"\begin{array}{c|c} a & b \end{array}", 15, "'|' in an array's columns"),
    (r"\begin{array}{lr} a & b \end{array}", 14, "stand on one side"),
    (r"f = \begin{aligned} a \end{aligned}", 4, "has to be the whole formula"),
    (r"\sqrt[3{x}", 5, "'[' is not closed"),
    (r"\operatorname{a^b}", 15, "only letters"),
    (r"\not\alpha", 0, r"\not stands before"),
    (r"\begin{matrix} a \\[b] c \end{matrix}", 17, "is read as a length"),
    ("\u4e2d", 0, r"write words as \text{…}"),
    ("\\", 0, "lone backslash"),
    ("  ", 0, "empty"),
    (r"\(x\)", 0, "between dollars already"),
    (r"\color{red} x", 0, "colour would be lost"),
    (r"\newcommand{\x}{y}", 0, "write the command out"),
    ("{" * 60 + "x" + "}" * 60, 40, "nested too deeply"),
]


@pytest.mark.parametrize(("tex", "offset", "message"), REFUSED)
def test_refusals_stand_at_their_place(tex: str, offset: int, message: str) -> None:
    """What is not set is refused at the character that is wrong, with what to write instead."""
    formula, problems = translate(tex, block=True)
    assert formula is None
    assert (problems[0].offset, message in problems[0].message) == (offset, True), problems


def test_aligned_lines_need_a_line_of_their_own() -> None:
    r"""`$\begin{aligned}…$` within a sentence is refused; apart, between `$$`, it is set."""
    tex = r"\begin{aligned} a &= b \\ c &= d \end{aligned}"
    assert "set the formula apart" in translate(tex)[1][0].message
    assert translate(tex, block=True)[0] is not None


def test_gap_stands_for_whole_terms() -> None:
    r"""A gap over `\partial L` becomes `gap0`; one that ends within a command is refused."""
    tex = r"\frac{\partial L}{\partial W}"
    formula, _ = translate(tex, (GapSpan(6, 16, 1),))
    assert formula is not None
    assert formula.typst == "frac(gap0, ∂ W)" or formula.typst == "frac(gap0, ∂W)"
    assert "\\partial" not in formula.spoken
    _, problems = translate(tex, (GapSpan(0, 7, 1),))
    assert "cuts through" in problems[0].message


@pytest.mark.parametrize(
    ("tex", "sent"),
    [
        (r"\text{a\_b} \mathrm{a\_b}", r"{\text{a}\_\text{b}} \mathrm{a\_b}"),
        (r"x_\text{in\_features}", r"x_{\text{in}\_\text{features}}"),
        (r"\text{\%} \text{ok } \text{\{a\}}", r"{\%} \text{ok } \text{\{a\}}"),
        (r"\frac{a}{b}", r"\frac{a}{b}"),
    ],
)
def test_mathjax_with_and_without_textmacros(tex: str, sent: str) -> None:
    r"""An escaped character leaves `\text`, where one MathJax refuses it and another shows `\`."""
    assert for_mathjax(tex) == sent


SNIPPETS = r"""
\frac{a}{b} \sqrt[3]{x} \left( \right) \middle| \bigl( ^{2} _{i} ^ _ ' { } \begin{pmatrix}
\end{pmatrix} \begin{cases} \end{cases} \mathrm{ab} \text{a\_b} \limits \operatorname{f} \\ & \,
\quad \{ \} \| \# \_ \& \$ \% -> => != ... ∑
"""
WORDS = [
    *(f"\\{name} " for name in symbols.SYMBOLS),
    *(f"\\{name} " for name in [*symbols.FUNCTIONS, *symbols.LIMITS]),
    *(f"\\{name}{{x}}" for name in [*symbols.FONTS, *symbols.ACCENTS]),
    *SNIPPETS.split(),
    *'abcxyz0123456789+-*/=<>()[]|.,:;!?"@#%$~ ',
    "\\ ",
]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=12).map("".join), min_size=8, max_size=8))
def test_what_is_accepted_compiles(texs: list[str]) -> None:
    """Any formula is either refused or set by Typst; none is code."""
    typsts = [formula.typst for tex in texs if (formula := translate(tex, block=True)[0])]
    assert not any(re.search(r"#(?!\\)", re.sub(r'"[^"]*"|\\#', "", source)) for source in typsts)
    if typsts:
        glyphs(typsts)


@given(st.text(max_size=40))
def test_no_text_breaks_the_parser(tex: str) -> None:
    """Whatever stands between dollars, the answer is a formula or a problem within its text."""
    formula, problems = translate(tex)
    assert (formula is None) == bool(problems)
    assert all(0 <= problem.offset <= len(tex) for problem in problems)


def test_words_for_a_screen_reader() -> None:
    r"""`\frac{\partial L}{\partial W} = G^\top X` is read as words, not as backslashes."""
    formula, _ = translate(r"\frac{\partial L}{\partial W} = G^\top X")
    assert formula is not None
    assert (
        formula.spoken == "the fraction partial L over partial W, end fraction equals G transpose X"
    )
