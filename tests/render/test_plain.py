"""The tree as plain text: what a terminal and a plain form show."""

from __future__ import annotations

import pytest

from closedbook.render.markdown import parse
from closedbook.render.plain import to_text, width


def shown(text: str, *, cloze: bool = False, blanks: bool = False) -> str:
    """A Markdown text as plain text."""
    document, problems = parse(text, cloze=cloze)
    assert problems == ()
    return to_text(document, blanks=blanks)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("**a** *b* `c` $x^2$\\\nd", "a b c x^2\nd"),
        ("a\n\nb", "a\n\nb"),
        ("- a\n- b\n  - c", "- a\n- b\n  - c"),
        ("9. a\n10. b", "9. a\n10. b"),
        ("1. a\n\n   b\n2. c", "1. a\n\n   b\n\n2. c"),
        ("```\nx\n\ny\n```", "    x\n\n    y"),
        ("$$\nx\n$$", "    x"),
        ("> a\n>\n> b", "> a\n> \n> b"),
        ("[a](https://x.org) <https://x.org>", "a (https://x.org) https://x.org"),
        ("![a graph](f.svg)", "[figure: a graph]"),
        ("a\n\n---\n\nb", "a\n\n---\n\nb"),
        ("<b>&amp; *", "<b>& *"),
    ],
)
def test_nodes(text: str, plain: str) -> None:
    """Each kind of node has its plain form; nothing is escaped."""
    assert shown(text) == plain


def test_tables_are_aligned() -> None:
    """Columns are as wide as their widest cell, and keep their side."""
    text = "| name | n |\n|:--|--:|\n| `grad_input` | 5 |\n| \u5f35 | 12 |\n"
    assert shown(text) == ("name         n\n----------  --\ngrad_input   5\n\u5f35          12")
    assert width("\u5f35e\u0301") == 3


def test_gaps() -> None:
    """Gaps are blanks where asked for, with their hints, else filled."""
    text = "a {{c1::b::hint}} `f({{c2::x}}, {{c3::y}})`"
    assert shown(text, cloze=True, blanks=True) == "a _____ (hint) f(_____, _____)"
    assert shown(text, cloze=True) == "a b f(x, y)"
