"""Formulas drawn for browsers: on the line of the text around them, in its size and colour."""

from __future__ import annotations

import re

import pytest

from closedbook.render.typst.formulas import draw


def size(html: str, side: str) -> float:
    """A length of the picture, in ems."""
    found = re.search(rf"[\";]{side}:(-?[0-9.]+)em", html)
    assert found
    return float(found[1])


def test_a_formula_stands_on_the_line() -> None:
    """A letter stands on the line, one with a tail hangs below it, a fraction hangs further."""
    drawn = draw([(tex, False) for tex in ("x", "p", r"\frac{a}{b}")])
    depths = [-size(html, "vertical-align") for html in drawn.values()]
    assert depths[0] == pytest.approx(0, abs=0.02)
    assert depths[1] == pytest.approx(0.2, abs=0.02)
    assert depths[2] > 0.3
    for html, depth in zip(drawn.values(), depths, strict=True):
        assert size(html, "height") > depth


def test_a_formula_takes_size_and_colour_from_its_text() -> None:
    """Lengths are in ems, larger where that is asked for, and black is the text's colour."""
    ((_, html),) = draw([(r"\frac{x}{y}", False)]).items()
    ((_, larger),) = draw([(r"\frac{x}{y}", False)], 1.12).items()
    for side in ("width", "height", "vertical-align"):
        assert size(larger, side) == pytest.approx(1.12 * size(html, side), abs=0.002)
    assert "#000000" not in html
    assert "currentColor" in html


def test_rows_of_a_formula_set_apart_do_not_touch() -> None:
    """Each row takes about the height of a line of text, and none is drawn over the next."""
    rows = [r"\begin{aligned} " + r" \\ ".join(["a &= b"] * n) + r" \end{aligned}" for n in (1, 3)]
    one, three = (size(html, "height") for html in draw([(tex, True) for tex in rows]).values())
    assert (three - one) / 2 > 1.2


def test_a_formula_is_read_aloud_and_one_that_cannot_be_set_is_shown() -> None:
    """The picture's name is the formula in words; LaTeX that is refused stands there as typed."""
    drawn = draw([(r"\frac{a}{b} < 1", False), (r"a < \R", True)])
    named = 'role="img" aria-label="the fraction a over b, end fraction is less than 1"'
    assert named in drawn[r"\frac{a}{b} < 1", False]
    refused = drawn[r"a < \R", True]
    assert refused.endswith(r">a &lt; \R</code>")
    assert r"\mathbb{R}" in refused
