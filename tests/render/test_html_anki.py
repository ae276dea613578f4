"""What an author wrote is what Anki shows: random texts through Anki's own renderer."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from closedbook.render.escape import Target
from closedbook.render.html import to_html
from closedbook.render.tree import (
    Code,
    CodeBlock,
    Emphasis,
    Gap,
    GapSpan,
    Image,
    Math,
    MathBlock,
    Paragraph,
    Table,
    Text,
)
from tests.render.conftest import Anki, text_nodes

NASTY = [
    "{{",
    "}}",
    "::",
    "{{c1::",
    "}}}",
    "{{{",
    "<",
    ">",
    "&",
    "&amp;",
    "&lt;",
    "<int>",
    "</pre>",
    "<!--",
    "-->",
    "\\(",
    "\\)",
    "\\[",
    "\\]",
    "[sound:a.mp3]",
    "[latex]",
    "[/latex]",
    "[$]",
    "[$$]",
    "[/$]",
    "[anki:play:q:0]",
    "[anki:tts",
    "{{Back}}",
    "{{type:Back}}",
    "{{^x}}",
    "{{#x}}",
    "torch::nn::Linear",
    "vector<int>",
    '"',
    "'",
    "`",
    "$",
    "%",
    "#",
    "̸",
    "é",
    "Ω",
    "\\frac{a}{{b}}",
    "<script>",
    "&#123;",
    "{{cloze:Text}}",
    "[[oc::1]]",
    "\\",
    "{",
    "}",
    ":",
    "[",
    "]",
    "(",
    ")",
]

characters = st.characters(exclude_categories=("Cc", "Cs", "Co", "Cn"))
texts = st.lists(
    st.one_of(st.sampled_from(NASTY), st.text(characters, max_size=6), st.sampled_from(" \n")),
    min_size=1,
    max_size=8,
).map("".join)
nonempty = texts.filter(lambda text: bool(text.strip()))
languages = st.sampled_from(["", "python", "cpp", "html", "no-such-language"])
hints = st.one_of(st.none(), nonempty)

through_anki = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def nfc(text: str) -> str:
    """Letters and their marks as one, as Anki stores them."""
    return unicodedata.normalize("NFC", text)


def without_spaces_between_braces(text: str) -> str:
    """``} }`` and ``}}`` are the same to TeX."""
    while "} }" in text or "{ {" in text:
        text = text.replace("} }", "}}").replace("{ {", "{{")
    return text


@through_anki
@given(text=nonempty)
def test_text_comes_back(anki: Anki, text: str) -> None:
    """Any text of a field is shown character by character."""
    html = to_html((Paragraph((Text(text),)),), target="field")
    assert anki.basic(html) == nfc(text)


@through_anki
@given(code=nonempty, language=languages)
def test_code_comes_back(anki: Anki, code: str, language: str) -> None:
    """Any code, highlighted or not, is shown character by character."""
    html = to_html((CodeBlock(code, language), Paragraph((Code(code),))), target="field")
    assert anki.basic(html) == nfc(code + "\n" + code)


@through_anki
@given(tex=nonempty, around=texts)
def test_maths_reaches_mathjax_as_typed(anki: Anki, tex: str, around: str) -> None:
    """MathJax finds between its delimiters what the author typed, and no others in the text."""
    html = to_html((Paragraph((Text("."), Math(tex), Text(around))),), target="field")
    assert anki.basic(html) == nfc(f".\\({tex}\\){around}")


@settings(deadline=None)
@given(text=nonempty, target=st.sampled_from(["field", "cloze"]))
def test_text_begins_no_maths_of_its_own(text: str, target: Target) -> None:
    """No text that MathJax would read as one holds a delimiter that the author wrote as text."""
    html = to_html((Paragraph((Text(text), Emphasis((Text(text),)))),), target=target)
    assert [node for node in text_nodes(html) if re.search(r"\\[(\[]", node)] == []
    formula = to_html((Paragraph((Math("x"),)),), target=target)
    assert text_nodes(formula) == [r"\(x\)"], "such a formula is what it would find"


@through_anki
@given(cells=st.tuples(nonempty, nonempty, nonempty))
def test_table_comes_back(anki: Anki, cells: tuple[str, str, str]) -> None:
    """The cells of a table are shown in order."""
    head, first, second = cells
    table = Table(("left",), ((Text(head),),), (((Code(first),),), ((Text(second),),)))
    assert anki.basic(to_html((table,), target="field")) == nfc("".join(cells))


@through_anki
@given(parts=st.tuples(texts, nonempty, texts), hint=hints)
def test_gap_in_text(anki: Anki, parts: tuple[str, str, str], hint: str | None) -> None:
    """One gap in running text makes one card, whose sides hold exactly the text."""
    before, inner, after = parts
    gap = Gap(1, (Emphasis((Text(inner),)),), hint)
    html = to_html((Paragraph((Text(before), gap, Text(after))),), target="cloze")
    asked = f"[{'...' if hint is None else hint}]"
    assert anki.cloze(html) == {1: (nfc(before + asked + after), nfc(before + inner + after))}


@through_anki
@given(parts=st.tuples(texts, nonempty, texts, nonempty, texts), language=languages)
def test_gaps_in_code(anki: Anki, parts: tuple[str, ...], language: str) -> None:
    """Two gaps in a code block make two cards; code keeps its braces, colons and brackets."""
    code = "".join(parts)
    a, b, c, d, _ = (len("".join(parts[: i + 1])) for i in range(5))
    gaps = (GapSpan(a, b, 1), GapSpan(c, d, 2))
    sides = anki.cloze(to_html((CodeBlock(code, language, gaps),), target="cloze"))
    assert sorted(sides) == [1, 2]
    assert {answer for _, answer in sides.values()} == {nfc(code)}
    first, _, between, second, last = parts
    assert sides[1][0] == nfc(first + "[...]" + between + second + last)


tex_texts = st.lists(
    st.sampled_from(
        [
            *[
                r"\frac{a}{b}",
                r"x",
                r"^{2}",
                r"_{i}",
                r"\text{a::b}",
                r"{{x}}",
                r"\{",
                r"\}",
                r"}",
                r"{",
                r"::",
                r"<",
                r"&",
                r"'",
            ],
            " ",
        ]
    ),
    min_size=1,
    max_size=6,
).map("".join)


@through_anki
@given(parts=st.tuples(tex_texts, tex_texts.filter(str.strip), tex_texts), block=st.booleans())
def test_gap_in_maths(anki: Anki, parts: tuple[str, str, str], block: bool) -> None:
    """A gap within a formula makes one card, and MathJax gets the author's LaTeX."""
    before, inner, after = parts
    gaps = (GapSpan(len(before), len(before + inner), 3),)
    tex = before + inner + after
    node = MathBlock(tex, gaps=gaps) if block else Paragraph((Math(tex, gaps=gaps),))
    sides = anki.cloze(to_html((node,), target="cloze"))
    opening, closing = ("\\[", "\\]") if block else ("\\(", "\\)")
    assert list(sides) == [3]
    question, answer = map(without_spaces_between_braces, sides[3])
    spaced = without_spaces_between_braces
    assert answer.replace(" ", "") == spaced(opening + tex + closing).replace(" ", "")
    assert question.replace(" ", "") == (opening + before + "[...]" + after + closing).replace(
        " ", ""
    )


def test_a_gap_around_code_and_maths(anki: Anki) -> None:
    """`{{c1::`a::b` and $x_{{i}}$}}` is one card; its inner braces and colons are the author's."""
    gap = Gap(1, (Code("a::b"), Text(" and "), Math("x_{{i}}")), "two")
    sides = anki.cloze(to_html((Paragraph((gap,)),), target="cloze"))
    assert sides == {1: ("[two]", "a::b and \\(x_{ {i} }\\)")}


@pytest.mark.parametrize(
    "written", ["[LATEX]x[/LATEX]", "[Sound:a.mp3]", "[ANKI:play:q:0]", "[[Type:Back]]"]
)
def test_what_anki_reads_in_capitals_too(anki: Anki, written: str) -> None:
    """Anki's own marks are a text in whatever letters they are written."""
    html = to_html((Paragraph((Text(written),)),), target="field")
    assert anki.basic(html) == written
    assert html.count("[") == written.count("[["), "none is left that begins a mark"


def test_a_mark_at_the_start_stays_with_its_own_text(anki: Anki) -> None:
    """An accent that begins a text does not melt into the tag before it."""
    html = to_html((Paragraph((Emphasis((Text("\u0338x"),)),)),), target="field")
    assert "<em>" in unicodedata.normalize("NFC", html)
    assert anki.basic(html) == "\u0338x"


def test_an_alternative_text_is_no_sound(anki: Anki) -> None:
    """What Anki would play stays in the words that stand for a picture."""
    html = to_html((Paragraph((Image("a.png", "[sound:a.mp3]"),)),), target="field")
    assert "[" not in html
    assert anki.basic(html) == ""
