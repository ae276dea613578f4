"""Markdown becomes the tree that the author meant, and every mistake stands at its character."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closedbook.render import walk
from closedbook.render.markdown import parse
from closedbook.render.tree import (
    Break,
    Code,
    CodeBlock,
    Document,
    Emphasis,
    Gap,
    GapSpan,
    Heading,
    Image,
    Link,
    List,
    Math,
    MathBlock,
    Paragraph,
    Quote,
    Rule,
    Table,
    Text,
)


def tree(text: str, *, cloze: bool = False) -> Document:
    """The tree of a text without mistakes."""
    document, problems = parse(text, cloze=cloze)
    assert problems == ()
    return document


def found(text: str, *, cloze: bool = False) -> list[tuple[str, str]]:
    """What stands at each problem (its first six characters), and the message."""
    return [(text[p.offset :][:6], p.message) for p in parse(text, cloze=cloze)[1]]


def test_inlines() -> None:
    """`**bold** *stressed* `code` $x$` and a hard break are the nodes of their names."""
    assert tree("**b** *e* `c` $x$\\\nend") == (
        Paragraph(
            (
                Emphasis((Text("b"),), strong=True),
                Text(" "),
                Emphasis((Text("e"),)),
                Text(" "),
                Code("c"),
                Text(" "),
                Math("x", offset=15),
                Break(),
                Text("end"),
            )
        ),
    )


def test_blocks() -> None:
    """Headings, lists tight and loose, quotes, rules, code and tables are the blocks meant."""
    text = (
        "## Head\n\n- a\n- b\n\n3. c\n\n4. d\n\n> q\n\n---\n\n```python\nx = 1\n```\n\n"
        "| h | i |\n|:-:|--:|\n| `a\\|b` | $y$ |\n"
    )
    assert tree(text) == (
        Heading(2, (Text("Head"),)),
        List(((Paragraph((Text("a"),)),), (Paragraph((Text("b"),)),))),
        List(((Paragraph((Text("c"),)),), (Paragraph((Text("d"),)),)), start=3, tight=False),
        Quote((Paragraph((Text("q"),)),)),
        Rule(),
        CodeBlock("x = 1", "python"),
        Table(
            ("center", "right"),
            ((Text("h"),), (Text("i"),)),
            (((Code("a|b"),), (Math("y", offset=text.index("$y") + 1),)),),
        ),
    )


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and 10$ more.",
        "between $5 and $10",
        "5$ or 6$ a month",
        "($5)-($6)",
        "a lone $ sign",
        "$ x $",
        "`$x$` and `a $ b`",
        "costs $5 `x$`",
        "\\$x\\$",
        "$HOME and $PATH",
        "$$",
        "a $ b $$ c",
    ],
)
def test_dollars_that_are_no_maths(text: str) -> None:
    """Prices, shell variables and code keep their dollars."""
    assert walk.maths_of(tree(text)) == ()
    shown = "".join(n.text for n in walk.walk(tree(text)) if isinstance(n, Text | Code))
    assert shown == text.replace("\\", "").replace("`", "")


@pytest.mark.parametrize(
    ("text", "tex"),
    [
        ("$x$ is 5", "x"),
        ("$2x$", "2x"),
        ("$5 \\text{ and } 10$", "5 \\text{ and } 10"),
        ("$3 \\times 4$", "3 \\times 4"),
        ("($x$)", "x"),
        ("$n$-th, $n$th", "n"),
        ("$a\\$b$", "a\\$b"),
        ("it is $(5, 4)$.", "(5, 4)"),
    ],
)
def test_dollars_that_are_maths(text: str, tex: str) -> None:
    r"""A formula may begin with a number, stand at the text's beginning, and hold `\$`."""
    assert walk.maths_of(tree(text))[0].tex == tex


def test_maths_set_apart_interrupts_a_paragraph() -> None:
    """`$$…$$` on lines of its own, or within a paragraph, stands apart; offsets hold."""
    text = "before\n$$\nY = X\n$$\nafter $$Z$$ end"
    assert tree(text) == (
        Paragraph((Text("before"),)),
        MathBlock("Y = X", offset=text.index("Y")),
        Paragraph((Text("after"),)),
        MathBlock("Z", offset=text.index("Z")),
        Paragraph((Text("end"),)),
    )


def test_raw_html_is_text() -> None:
    """`<b>`, a comment and an HTML block come out as the author typed them."""
    assert tree("<b>hi</b> <!-- c -->") == (Paragraph((Text("<b>hi</b> <!-- c -->"),)),)
    assert tree("<div>\nx\n</div>") == (Paragraph((Text("<div> x </div>"),)),)


def test_links() -> None:
    """Links to http, https and mailto are kept; others are refused where they stand."""
    assert tree("[a](https://x.org/b?c=d&e)") == (
        Paragraph((Link((Text("a"),), "https://x.org/b?c=d&e"),)),
    )
    assert found("see <https://x.org> or [a](javascript:alert(1))")[0][0] == "[a](ja"
    assert "put code in backticks" in found("`x` is x[0](1)")[0][1]
    assert found("[a](data:text/html,x) [b](//x.org)")[1][0] == "[b](//"


def test_figures_need_a_text() -> None:
    """An image keeps its path as typed; without a text that stands for it, it is refused."""
    assert tree("![a *graph*](<my fig.svg>)") == (Paragraph((Image("my fig.svg", "a graph", 0),)),)
    assert found("- one\n- two ![](f.svg)") == [
        (
            "![](f.",
            "the figure 'f.svg' has no text for those who cannot see it: "
            "write ![what it shows](f.svg)",
        )
    ]


def test_characters_that_cannot_be_shown() -> None:
    """A control character is refused at its place."""
    assert found("ab\x08c") == [("\x08c", "the character U+0008 cannot be shown")]


def test_gaps_in_text_code_maths_and_cells() -> None:
    """A gap may hold whole inlines, or a part of code, of a formula, of a cell."""
    text = (
        "{{c1::**a** `b}}`::hint}} `f({{c2::x}})` $\\frac{ {{c3::\\frac{a}{b}}} }{c}$\n\n"
        "```\nreturn {{c4::{1: {2}}}}, {{c5::y::z}}\n```\n\n| {{c6::h}} |\n|--|\n| x |\n"
    )
    paragraph, code, table = tree(text, cloze=True)
    assert isinstance(paragraph, Paragraph)
    assert paragraph.children[0] == Gap(
        1, (Emphasis((Text("a"),), strong=True), Text(" "), Code("b}}")), "hint"
    )
    assert paragraph.children[2] == Code("f(x)", (GapSpan(2, 3, 2),))
    assert isinstance(paragraph.children[4], Math)
    assert paragraph.children[4].tex == "\\frac{ \\frac{a}{b} }{c}"
    assert paragraph.children[4].gaps == (GapSpan(7, 18, 3, box=1),)
    assert code == CodeBlock(
        "return {1: {2}}, y", gaps=(GapSpan(7, 15, 4), GapSpan(17, 18, 5, "z"))
    )
    assert isinstance(table, Table)
    assert table.header == ((Gap(6, (Text("h"),)),),)
    assert walk.gaps_of((paragraph, code, table)) == (1, 2, 3, 4, 5, 6)


def test_emphasis_ends_with_its_gap() -> None:
    """Stars on both sides of a gap's border do not pair."""
    assert tree("*a {{c1::b* c}}", cloze=True) == (
        Paragraph((Text("*a "), Gap(1, (Text("b* c"),)))),
    )


def test_gaps_are_text_where_no_cloze_is() -> None:
    """`{{c1::x}}` in a question is what the author typed."""
    assert tree("{{c1::x}}") == (Paragraph((Text("{{c1::x}}"),)),)


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("a {{c1::b {{c2::c}} d}}", "{{c2::", "a gap within a gap"),
        ("`a {{c1::b {{c2::c}}}}`", "{{c2::", "a gap within a gap"),
        ("ab {{c1::b", "{{c1::", "not closed"),
        ("ab\n\nc `{{c2::b`", "{{c2::", "not closed"),
        ("{{c1::b\n\nc}}", "{{c1::", "not closed"),
        ("x {{c1,2::b}}", "{{c1,2", "one number"),
        ("x {{c0::b}}", "{{c0::", "from c1 to c500"),
        ("x {{c501::b}}", "{{c501", "from c1 to c500"),
        ("x {{c1::}}", "{{c1::", "empty"),
        ("x {{c1::::h}}", "{{c1::", "empty"),
        ("x `{{c1::std::vector::x}}`", "{{c1::", "more than one '::'"),
        ("x {{c1::std::vector::x}}", "{{c1::", "more than one '::'"),
        ("> - q $a {{c7::}} b$", "{{c7::", "empty"),
    ],
)
def test_gaps_that_are_refused(text: str, at: str, message: str) -> None:
    """A gap that Anki would read otherwise than its author is refused at its braces."""
    problems = found(text, cloze=True)
    assert [place for place, _ in problems] == [at]
    assert message in problems[0][1]


@given(st.text("abc `*_$\\{}c1:()[]!<>|-#\n\t", max_size=60), st.booleans())
def test_no_text_breaks_the_parser(text: str, cloze: bool) -> None:
    """Any text gives a tree, and problems within its bounds."""
    _, problems = parse(text, cloze=cloze)
    assert all(0 <= problem.offset <= len(text) for problem in problems)


@given(st.text("ab {}:<>&\\`\"'#$%*_[]()\n", min_size=1).map(str.strip).filter(bool))
def test_fenced_code_is_verbatim(code: str) -> None:
    """Code between fences comes back character by character."""
    fence = "~~~~~~"
    assert tree(f"{fence}\n{code}\n{fence}\n") == (CodeBlock(code),)


@given(st.lists(st.sampled_from(["> ", "- ", "1. ", ""]), max_size=3), st.integers(0, 3))
def test_offsets_within_containers(marks: list[str], before: int) -> None:
    """A formula's place is right behind quote marks, list marks and earlier lines."""
    text = "x\n\n" * before + "".join(marks) + "word `c` $\\alpha$ more"
    node = walk.maths_of(tree(text))[0]
    assert text[node.offset :].startswith("\\alpha")


@pytest.mark.parametrize(
    ("text", "at", "told"),
    [
        ("so $ \\frac{1}{2} $ it is", "$ \\frac", "a formula touches its dollars"),
        ("$ x^2 $", "$ x", "a formula touches its dollars"),
        ("is $2^{-52} away", "$2", "no $ closes the formula"),
        ("is $2^{-52} away from $x$", "$2", "a formula touches its dollars: write $x$, and not"),
        ("Is it $\\frac{1}{ 53 $?", "$\\frac", "a formula touches its dollars"),
        ("2$\\frac{1}{2}$", "$\\frac", "a digit right at a dollar"),
        ("$5 \\alpha or more words of \\beta$", "$5", "this holds words and is read as prose"),
        ("$x_{`a`}$", "$x", "a formula holds no backticks"),
        ("a $$\\frac{1}{2} b", "$$", "no $$ closes the formula"),
        ("it is \\(\\alpha\\), or \\(\\beta\\)", "\\(", "a formula stands between dollars"),
        ("it is \\frac{1}{2}", "\\frac", "a formula stands between dollars"),
        ("**a $x_{1} b**\n\n- c", "$x", "no $ closes the formula"),
    ],
)
def test_a_formula_that_is_read_as_none_is_told(text: str, at: str, told: str) -> None:
    """Dollars around LaTeX that make no formula are a mistake, at the first of them, once."""
    (problem,) = parse(text)[1]
    assert problem.message.startswith(told)
    assert problem.offset == text.index(at)


@pytest.mark.parametrize(
    "text",
    [
        "costs $5, and $\\frac{1}{2}$ of it",
        "costs $5 and `\\frac{1}{2}`, or 10$",
        "costs \\$5, \\alpha or x^{2}",
        "$HOME/bin and `$x_{1}`",
        "10^6 tokens cost $5 for 10^6, and $3",
    ],
)
def test_a_price_beside_latex_is_a_price(text: str) -> None:
    """What stands in code, in another formula or behind an escaped dollar is no mistake."""
    assert parse(text)[1] == ()


def test_a_text_that_is_nested_too_deeply_is_told() -> None:
    """Emphasis within emphasis without end is a mistake in words, whatever Python's stack holds."""
    for depth in (100, 1000):
        _, problems = parse("*a _b " * depth + "60" + " b_ a*" * depth)
        assert [problem.message for problem in problems] == ["this text is nested too deeply"]
