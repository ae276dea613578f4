"""Nodes on paper: what the author typed is printed, as PDF/UA-1, or the compile names the card."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
import typst
from hypothesis import given, settings
from hypothesis import strategies as st
from pypdf import PdfReader

from closedbook.render.markdown import parse
from closedbook.render.tree import Code, CodeBlock, Document, Paragraph, Table, Text
from closedbook.render.typst.compiler import library
from closedbook.render.typst.nodes import CODE_BLANK, to_typst

MAIN = """
#import "tree.typ": tree
#set document(title: "T")
#set page(width: {width}, height: auto, margin: 1cm)
#set text(lang: "en")
#tree(json(bytes(sys.inputs.data)), card: "some-card")
"""


def compiled(nodes: list[Any], width: str = "16cm", **files: bytes) -> bytes:
    """The PDF of some nodes; UA-1 refuses what a screen reader could not read."""
    given_files = {name.replace("__", "."): data for name, data in files.items()}
    pdf = typst.compile(
        {"main.typ": MAIN.replace("{width}", width).encode(), **library(), **given_files},
        sys_inputs={"data": json.dumps(nodes)},
        pdf_standards=["ua-1"],
    )
    assert isinstance(pdf, bytes)
    return pdf


def printed(document: Document, *, filled: bool = False, width: str = "16cm") -> str:
    """The text of a document's PDF, without spaces and line ends."""
    nodes, problems = to_typst(document, filled=filled)
    assert problems == ()
    pages = PdfReader(io.BytesIO(compiled(nodes, width))).pages
    return "".join("".join(page.extract_text() for page in pages).split())


def right_edge(document: Document, width: str) -> float:
    """How far to the right, in points, a document's text goes."""
    nodes, _ = to_typst(document)
    edges = []

    def visit(text: str, _: Any, matrix: list[float], __: Any, size: float) -> None:
        if text.strip():
            edges.append(matrix[4] + len(text.strip("\n")) * size * 0.6)

    PdfReader(io.BytesIO(compiled(nodes, width))).pages[0].extract_text(visitor_text=visit)
    return max(edges)


def tree(text: str, *, cloze: bool = False) -> Document:
    """The tree of a text without mistakes."""
    document, problems = parse(text, cloze=cloze)
    assert problems == ()
    return document


EVERYTHING = r"""
## A heading

Text with **bold**, *stress*, `code`, $x^2$, a [link](https://x.org) and\
a break.

- one
- two

3. three

   four

4. five

> quoted

| name | shape |
|:--|:-:|
| `grad_input` | $(5, 4)$ |

```python
def f(x):

    return x
```

$$
\begin{aligned} a &= b \\ c &= d \end{aligned}
$$

![a red square](red.svg)

---
"""


def test_every_node_is_accessible() -> None:
    """Each kind of node compiles as PDF/UA-1, with its text."""
    nodes, problems = to_typst(tree(EVERYTHING))
    assert problems == ()
    red = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
    text = PdfReader(io.BytesIO(compiled(nodes, red__svg=red))).pages[0].extract_text()
    for word in ("heading", "bold", "stress", "code", "link", "two", "five", "quoted", "shape"):
        assert word in text


VERBATIM = [
    '#read("/etc/passwd")',
    "// a comment, /* and another */",
    "<label> @ref",
    "*stars* _under_ `ticks`",
    "$5 and 10$",
    "= no heading",
    "- no list",
    "\\ ~ \" ' -- --- ...",
    "#let x = 1; #panic()",
    "[brackets] {braces} (parens)",
    "http://example.org/a_b",
    "\\u{41} &amp; &#65;",
    "*/ }} {{ << >>",
]


@pytest.mark.parametrize("text", VERBATIM)
def test_text_and_code_are_never_markup(text: str) -> None:
    """What would be markup or code of Typst's is printed as it stands."""
    document = (
        Paragraph((Text(text), Text(" | "), Code(text))),
        CodeBlock(text, "python"),
        CodeBlock(text, "no-such-language"),
        Table(("left",), ((Text(text),),), (((Code(text),),),)),
    )
    plain = "".join(text.split())
    assert printed(document, width="30cm") == f"{plain}|{plain}" + plain * 4


@settings(max_examples=40, deadline=None)
@given(st.text("abcXYZ019 #$*_`<>@=-+/\\\"'~[](){}:;.,!?&%^|\n", min_size=1).filter(str.strip))
def test_any_ascii_is_printed(text: str) -> None:
    """Any printable text in a paragraph and in a code block comes out of the PDF."""
    document = (Paragraph((Text(text),)), CodeBlock(text, "python"))
    assert printed(document, width="60cm") == "".join(text.split()) * 2


def test_a_blank_tells_nothing() -> None:
    """The paper's data and its PDF hold no answer, and its blanks are of even length."""
    text = (
        "a {{c1::secret::first}} `f({{c2::secret::second}})` $x + {{c3::\\nabla::third}}$\n\n"
        "```\n{{c4::secret::fourth}} = 1\n```"
    )
    document = tree(text, cloze=True)
    nodes, _ = to_typst(document)
    assert "secret" not in json.dumps(nodes)
    assert "∇" not in json.dumps(nodes, ensure_ascii=False)
    assert "nabla" not in json.dumps(nodes)
    paper = printed(document)
    assert "secret" not in paper
    for hint in ("first", "second", "third", "fourth"):
        assert f"({hint})" in paper
    assert CODE_BLANK in paper
    key = printed(document, filled=True)
    assert key.count("secret") == 3
    assert "first" not in key
    assert "∇" in key


SCRIPTS = r"$x^{ {{c1::-52::sign}} }$ and $\frac{ {{c2::a+b}} }{ {{c1::c}} } + {{c3::\frac{a}{b}}}$"


def sizes(document: Document, *, filled: bool = False) -> dict[str, list[float]]:
    """The sizes, in points, at which each text of a page is printed."""
    nodes, _ = to_typst(document, filled=filled)
    found: dict[str, list[float]] = {}

    def visit(text: str, _: Any, __: Any, ___: Any, size: float) -> None:
        if text.strip():
            found.setdefault(text.strip(), []).append(round(size, 2))

    PdfReader(io.BytesIO(compiled(nodes))).pages[0].extract_text(visitor_text=visit)
    return found


def test_a_gap_in_a_formula_is_written_on_a_line_below() -> None:
    """In scripts and fractions too its number is of one size, and its line one of all lines."""
    document = tree(SCRIPTS, cloze=True)
    nodes, _ = to_typst(document)
    assert nodes[-1] == {
        "k": "blanks",
        "c": [
            {"n": 1, "hint": "sign", "c": None},
            {"n": 2, "hint": None, "c": None},
            {"n": 3, "hint": None, "c": None},
            {"n": 4, "hint": None, "c": None},
        ],
    }
    shown = sizes(document)
    for number in "1234":  # in the formula and before its line
        assert shown[number] == shown["1"]
        assert len(shown[number]) == 2
    assert len(set(shown["1"])) == 1


def test_the_lines_of_formulas_stand_below_their_block() -> None:
    """Numbered through the whole text, and in tables and lists below the whole of them."""
    text = "$a^{ {{c1::b}} }$\n\n- $c^{ {{c2::d}} }$\n- e\n\n{{c3::f}}\n\n$$ {{c4::g}} $$"
    nodes, _ = to_typst(tree(text, cloze=True))
    kinds = [node["k"] for node in nodes if isinstance(node, dict)]
    assert kinds == ["par", "blanks", "list", "blanks", "par", "math", "blanks"]
    numbers = [node["c"][0]["n"] for node in nodes if node["k"] == "blanks"]
    assert numbers == [1, 2, 3]


def test_a_formula_with_gaps_is_read_aloud() -> None:
    """On the paper by the numbers of its boxes, on the key as the whole formula."""
    document = tree(SCRIPTS, cloze=True)
    for filled, words in ((False, "x to the blank 1"), (True, "x to the minus 52")):
        nodes, _ = to_typst(document, filled=filled)
        assert nodes[0]["c"][0]["alt"] == words
        assert ("a plus b" in json.dumps(nodes)) == filled


def test_blanks_in_text_and_in_code_are_of_one_length() -> None:
    """A blank of code has as many underscores as reach as far as the line in text, or nearly."""
    (run,) = sizes(tree("```\n{{c1::a}}\n```", cloze=True)).items()
    text, (size,) = run
    length = len(text) * size * 0.602  # of DejaVu Sans Mono
    assert text == CODE_BLANK
    assert abs(length - 11 * 11) < 3  # 11 em, at 11 points


def test_figures_are_described() -> None:
    """An image's alternative text is in the PDF; the caller may say where the file lies."""
    nodes, _ = to_typst(tree("![a square](dir/red.svg)"), image=lambda image: "red.svg")
    assert nodes == [{"k": "par", "c": [{"k": "image", "path": "red.svg", "alt": "a square"}]}]


def test_long_code_lines_wrap_with_a_mark() -> None:
    """A line of code that is too long goes on below, behind a mark, and nothing of it is lost."""
    line = "x = f(" + ", ".join(f"argument_{i}" for i in range(30)) + ")"
    unbroken = "y" * 300
    document = (CodeBlock(f"{line}\n{unbroken}", "python"),)
    text = printed(document, width="10cm")
    assert right_edge(document, "10cm") <= 283.5 - 28.3  # points: the page less its margin
    assert text.replace("↪", "") == "".join(line.split()) + unbroken
    assert text.count("↪") >= 8


def test_line_numbers() -> None:
    """Numbered code shows its lines' numbers, empty lines included."""
    text = printed((CodeBlock("a\n\nb", "", numbered=True),))
    assert sorted(text) == sorted("1a23b")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("$$\n" + " + ".join(f"x_{{{i}}}" for i in range(60)) + "\n$$", "a formula set apart"),
        (
            f"| {' | '.join('abcdefghijklmnop' for _ in range(12))} |\n"
            f"|{'--|' * 12}\n| {' | '.join('x' for _ in range(12))} |\n",
            "a table",
        ),
    ],
)
def test_too_wide_names_the_card(text: str, message: str) -> None:
    """What would run over the margin stops the compile, with the card's id and both widths."""
    nodes, _ = to_typst(tree(text))
    with pytest.raises(typst.TypstError) as caught:
        compiled(nodes)
    assert f"card 'some-card': {message}" in str(caught.value)
    assert "mm wide, the column" in str(caught.value)


def test_a_table_with_long_texts_wraps() -> None:
    """Cells of running text share the width; nothing is lost."""
    cell = "several words that go on for quite a while"
    text = printed(tree(f"| a | b |\n|--|--|\n| {cell} | {cell} |\n"), width="8cm")
    assert text.count("severalwords") == 2


def test_formula_problems_have_their_place() -> None:
    """A formula that is refused is told at its character of the text."""
    text = "then $x + \\R$"
    _, problems = to_typst(parse(text)[0])
    assert [text[problem.offset :] for problem in problems] == ["\\R$"]
