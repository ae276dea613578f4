"""The values that a text states."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import pytest

from closedbook.verify.rules.grammar import Key
from closedbook.verify.rules.numbers import Known
from closedbook.verify.rules.values import atoms


def stated(text: str) -> list[tuple[str, tuple[Key, ...]]]:
    """Each value's text and its first reading."""
    return [(atom.text, atom.any_of[0]) for atom in atoms(text)]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("it is 6", [6]),
        ("it is 6.", [6]),
        ("it is -1, \u22122 and - 3", [-1, -2, 3]),
        ("`1e-6` and 2.50 and .5", [Decimal("1e-6"), Decimal("2.50"), Decimal("0.5")]),
        ("-0 and `-0.0`", ["-0", "-0"]),
        ("1_000 and 1,000, rows", [1000, 1000]),
        ("50 % and 12%", [50, 12]),
        ("`x.sum(dim=0)`", [0]),
        ("`x.sum(-1)` and `x-2`", [-1, 2]),
        ("the 2nd, a 3D one, 4x as many", [2, 3, 4]),
        ("2..9, 2\u20139", [2, 9, 2, 9]),
        ("`0x1F`", [31]),
        ("NaN, nan, inf, -inf", ["nan", "nan", Decimal("inf"), Decimal("-inf")]),
        ("True, `False`, None", ["True", "False", "None"]),
        ("two values, Three Nones", [2, 3]),
        ("thirteen tensors, Twenty-one rows, ninety times", [13, 21, 90]),
        ("four different gradients, two gradient tensors", [4, 2]),
        ("$\\infty$ and -\u221e", [Decimal("inf"), Decimal("-inf")]),
        ("&half; of it", [Decimal("0.5")]),
        ("&#55; or &#x37; of &sup2; &amp; &lt;", [7, 7, 2]),
        ("_7_ and `_7_`", [7]),
        ("`true`, `none` and `null`; true, none", ["True", "None", "None"]),
        ("$2x + 1$", [2, 1]),
        ("$x^{2}$ and $x^3$", [2, 3]),
        ("$\\frac12$, 1/4.", [Decimal("0.5"), Decimal("0.25")]),
        ("$3 \\cdot 10^{-2}$", [Decimal("0.03")]),
        ("1\u00bd, \u2153, \u2167, \u2463", [Decimal("1.5"), Decimal(1) / 3, 8, 4]),
        ("x\u00b2, 10\u207b\u2076, y\u00b9\u2070", [2, Decimal("1e-6"), 10]),
        ("77.\n", [77]),
        ("It is\n77. This is so.", [77]),
        ("1. a list has two items", [1]),
        ("5. five\n6. six", [5, 6]),
        ("1e400, 1e-400", ["1e400", "1e-400"]),
        ("60k and 2M; 5 G", [60_000, 2_000_000, 5]),
        ("60 000, 60\u2009123, 60 million", [60_000, 60_123, 60_000_000]),
        ("60\u2030, 60j", [Decimal("0.06"), "60j"]),
        ("three hundred values, three million", [300, 3_000_000]),
        ("sixty one values", [61]),
        ("TRUE, ...False, NONE, NAN, -INF", ["True", "False", "None", "nan", Decimal("-inf")]),
        ("0b11 and 0o17", [3, 15]),
        ("60\nmillion, 60\u00a0million, 60 trillion", [60_000_000] * 2 + [60 * 10**12]),
        ("three hundred and one values, sixty\none values", [301, 61]),
        ("`math.inf`, `-torch.inf` and np.nan", [Decimal("inf"), Decimal("-inf"), "nan"]),
        ("|https://example.org|61|", [61]),
        ("$\\sum_{i \\le 61} x_i$, $\\int_{62}^{63} f$", [61, 62, 63]),
        ("6 \u00d7 10\u207b\u00b2, 2\u00d710\u2075", [Decimal("0.06"), 200_000]),
        ("$1.5{\\times}10^9$, 6*10^-2", [Decimal("1.5e9"), Decimal("0.06")]),
        ("1,000.50 and 12.5 percent", [Decimal("1000.50"), Decimal("12.5")]),
        ("None of them is a leaf. True to it.", []),
        ("`f'{x:.2f}'`", []),
        ("$n!-3$, 50%-3, 3%\u20135%", [3, 50, 3, 3, 5]),
        ("$[1\\;2\\;3]$, $(1\\quad2)$", [1, 2, 3, 1, 2]),
        ("\u2087, \u136f, \u3251", [7, 7, 21]),
        ("`x[0](61)`, X-61", [0, 61, 61]),
        ("$\\underbrace{x}_{= 61}$", [61]),
        (
            "$\\frac{1}{4}$, $-\\frac12$, -\u00bd",
            [Decimal("0.25"), Decimal("-0.5"), Decimal("-0.5")],
        ),
    ],
)
def test_numbers(text: str, values: list[Key]) -> None:
    """A numeral is a value, whatever it is written as and glued to on its right."""
    assert [value for _, (value,) in stated(text)] == values


@pytest.mark.parametrize(
    ("text", "values"),
    [
        *[(text, [-60]) for text in ("$- 60$", "$-\\,60$", "$-{60}$", "${-}60$", "`- 60`")],
        *[(text, [-60]) for text in ("`-(60)`", "-**60**", "-`60`", "&minus;60", "-$60$")],
        *[(text, [-60]) for text in ("\u201360", "\u201160", "\uff0d60", "$x = - 60$")],
        *[(text, [60]) for text in ("$x - 60$", "`x - 60`", "- 60 rows", "`f(x)-(60)`")],
        *[(text, [61]) for text in ("__61__", "___61___", "**61**", "*61*", "6**1**", "6&#49;")],
        *[(text, [61]) for text in ("6`1`", "$6{1}$", "$6\\,1$", "6\u200b1", "$\\mathbf{61}$")],
        *[("_None_ or __nan__", ["None", "nan"]), ("$1{,}000$", [1000])],
        *[("**Seven** gradients, seven **gradients**", [7, 7])],
        *[("item `0` of `1`, `a[0]`, `b[1]`", [0, 1, 0, 1]), ("2\u20135 rows", [2, 5])],
    ],
)
def test_a_number_is_what_is_read(text: str, values: list[Key]) -> None:
    """Emphasis, fine spaces, braces, entities and far signs change nothing of a number."""
    assert [value for _, (value,) in stated(text)] == values


@pytest.mark.parametrize(
    "text",
    [
        *[
            "$\\left(3, 2\\right)$",
            "$(3,\\,2)$",
            "$(3,\\ 2)$",
            "$3 {\\times} 2$",
            "$3 \\,\\times\\, 2$",
        ],
        *["`Size(3, 2)`", "shape(3, 2)", "($3$, $2$)", "(`3`, `2`)", "(3, **2**)", "_(3, 2)_"],
        *["\\(3, 2\\)", "&#40;3, 2&#41;", "(3,&nbsp;2)", "3 X 2", "3 \u2715 2", "$3$ \u00d7 $2$"],
        *["3 by\n2", "3\u00a0by\u00a02", "three by\ntwo", "([3](https://example.org/9), 2)"],
        *["$(\\operatorname{3}, 2)$", "$(\\boxed{3}, 2)$"],
        *["**3** \u00d7 **2**", "`3` by `2`", "\uff083\uff0c2\uff09"],
    ],
)
def test_a_tuple_is_what_is_read(text: str) -> None:
    """However a pair is set, it is one value, and in this order; its place is where it begins."""
    [(written, (value,))] = stated(text)
    assert value == (3, 2)
    assert written in text


def test_a_value_stands_where_it_is_written() -> None:
    """What is skipped in reading counts in its place."""
    (found,) = atoms("so **is** &amp; _it_ `x`: __61__!")
    assert (found.text, found.offset) == ("61", 28)


@pytest.mark.parametrize(
    "text",
    [
        "float64, `x0`, Conv2d, `layers.0.weight`, fc1.",
        "UTF-8, GPT-2",
        "$W_0$, $x_{i,1}$, $\\alpha$",
        "section 2.6, sections 3 and 4, Figure 7, eq. 12, \u00a74",
        "1. first\n2. second\n   1. third\n   2. fourth\n3. fifth",
        "1. first\n1. second",
        "[a](https://example.org/2024/3), ![figure 1](f-2.svg), https://example.org/3",
        "pytorch#65244, &#40;",
        "two of them, a third, one, once, twice, zero",
        "\u017fix rows, s\u0131x rows, no letters of these words",
        "it is true, false, none, information, Nonesuch",
    ],
)
def test_what_is_no_value(text: str) -> None:
    """A digit within a name, a label, a list marker or an address states nothing."""
    assert stated(text) == []


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("(3, 4) by (5,) gives ()", [(3, 4), (5,), ()]),
        ("`torch.Size([3, 4])`", [(3, 4)]),
        ("[1., -2.5]", [(1, Decimal("-2.5"))]),
        ("(None, True, 3)", [("None", "True", 3)]),
        ("3\u00d74, 3 x 4, 3x4, 3-by-4., $3 \\times 4$", [(3, 4)] * 5),
        ("`ones(2, 3)` and f()", [2, 3]),
        ("(n, 4)", [4]),
        ("3 \u00d7 4 = 12", [3, 4, 12]),
    ],
)
def test_tuples(text: str, values: list[Key]) -> None:
    """Numbers in brackets, or joined by a cross, are one value; a call's arguments are not."""
    assert [value for _, (value,) in stated(text)] == values


def test_a_word_is_a_number_before_each_word_that_the_page_lists() -> None:
    """Four of whatever docs/checks.md lists is a 4; four of anything else is a word."""
    page = (Path(__file__).parents[3] / "docs" / "checks.md").read_text(encoding="utf-8")
    [listed] = re.findall(r"one of these words follows: ([\w, ]+)", page)
    words = listed.strip().split(", ")
    assert len(words) > 10
    assert [word for word in words if stated(f"the four {word}") != [("four", (4,))]] == []
    assert stated("the four of them, four shapes, one by one") == []


def test_a_comma_between_thousands_parts_no_numbers() -> None:
    """`1,000` is a thousand alone, and not what a text that knows 1 and 0 states."""
    known = Known()
    known.add_atoms(atoms("1 and 0"))
    [thousand] = atoms("It is 1,000.")
    assert not known.states(thousand)


def test_offsets_count_into_the_text() -> None:
    """An atom knows the character that it starts at."""
    text = "\u00e4 `grad` is (3, 4), -1 and *60*."
    assert [text[atom.offset :][: len(atom.text)] for atom in atoms(text)] == ["(3, 4)", "-1", "60"]


def test_lines_and_steps_are_told_apart() -> None:
    """`line 3` counts lines of the code, `steps 1 and 2` the derivation's steps."""
    found = atoms("line 3, lines 4 to 5, Step 1, 6 lines")
    assert [(atom.text, atom.of) for atom in found] == [
        ("3", "line"),
        ("4", "line"),
        ("5", "line"),
        ("1", "step"),
        ("6", None),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "9" * 5000,
        "1e99999999999999999999",
        "1e99999999 %",
        "$10^{999999999999}$",
        "$3 \\cdot 10^{99999999}$",
        "0x" + "F" * 5000,
        "1" + ",000" * 2000,
        "3x" + "4" * 5000,
        "line " + "9" * 5000,
        "v" + "9" * 5000 + ".1",
        "9" * 5000 + "/3",
        "(1e99999999, 2)",
        "-" + "9" * 5000 + ".5",
    ],
)
def test_a_numeral_beyond_all_bounds(text: str) -> None:
    """A numeral that is too large to calculate with is a value that only itself states."""
    known = Known()
    known.add_atoms(atoms("0.5 and 1e-6"))
    found = atoms(text)
    assert found
    assert not any(known.states(atom) for atom in found)
    known.add_atoms(found)
    assert all(known.states(atom) for atom in found)
