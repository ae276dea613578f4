"""Comparing an observed fact with a stated value."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closedbook.model.expect import Equals
from closedbook.model.value import Number, Shape
from closedbook.verify.run.compare import differs


def want(value: Any, text: str | None = None, **tolerance: Any) -> Equals:
    """Make an expectation as it is read from YAML."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        value = Number(value, repr(value))
    if isinstance(value, tuple):
        value = Shape(value)
    return Equals(value, text if text is not None else str(value), **tolerance)


@pytest.mark.parametrize(
    ("fact", "expected"),
    [
        (None, want(None)),
        (True, want(True)),
        (3, want(3)),
        (3.0, want(3)),
        (3, want(3.0)),
        (0.1 + 0.2, want(0.3)),
        (60.00000000000001, want(60)),
        (-0.0, want(0)),
        (0, want(-0.0)),
        (math.nan, want(math.nan)),
        (math.inf, want(math.inf)),
        ((5, 4), want((5, 4))),
        ((), want(())),
        ([5, 4], want((5, 4))),
        ("1.10", want(1.10, "1.10")),
        ("alive", want("alive")),
        ("two\nlines\n", want("two\nlines")),
        ([[1, 2.0], [3, 4]], want([[1, 2], [3, 4.0]])),
        ([math.nan, math.inf], want([math.nan, math.inf])),
        ([(5, 4), None], want("[(5, 4), None]")),
        ([(5, 4), None], want([(5, 4), None])),
        ([True, False], want("(True, False)")),
        (0.5001, want(0.5, rtol=0, atol=1e-3, stated_tolerance=True)),
        (101, want(100, rtol=0, atol=1, stated_tolerance=True)),
    ],
)
def test_what_is_the_same(fact: Any, expected: Equals) -> None:
    """These facts are what is expected."""
    assert differs(fact, expected) is None


@pytest.mark.parametrize(
    ("observed", "stated"),
    [(2.2e-16, 5e-10), (2.2e-16, -1e-9), ([0.1, 1e-12], [0.1, 1e-10]), (0.0, 1e-10)],
)
def test_the_usual_tolerance_is_no_wider_than_the_number(observed: Any, stated: Any) -> None:
    """A number smaller than what is let pass beside 1 is told from others, and its negative."""
    assert differs(observed, want(stated)) is not None
    assert differs(stated, want(stated)) is None


def test_noise_beside_zero_is_zero() -> None:
    """Where 0 is expected, there is no number of which a tenth could be taken."""
    assert differs(2.2e-16, want(0.0)) is None


def test_negative_zero_is_observed_where_it_is_expected() -> None:
    """0.0 says nothing of a sign, and -0.0 does."""
    assert differs(-0.0, want(0.0)) is None
    assert differs(-0.0, want(-0.0)) is None
    assert differs(0.0, want(-0.0)) == ("-0.0", "0.0")


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(
    "tolerance",
    [{"rtol": 1e-3, "atol": 0.0}, {"rtol": 0.0, "atol": 1e-3}, {"rtol": 5e-4, "atol": 5e-4}],
)
def test_a_tolerance_reaches_just_as_far_as_it_says(sign: int, tolerance: dict[str, float]) -> None:
    """Around 1, a number off by 0.00099 is within a tolerance of 0.001, one off by 0.00101 not."""
    one = want(1.0, stated_tolerance=True, **tolerance)
    assert differs(1 + sign * 0.00099, one) is None
    assert differs(1 + sign * 0.00101, one) is not None


@pytest.mark.parametrize(
    ("fact", "expected", "left", "right"),
    [
        (None, want(0), "0", "None"),
        (0, want(None), "None", "0"),
        (True, want(1), "1", "True"),
        (1, want(True), "True", "1"),
        (1.0, want(True), "True", "1.0"),
        (3, want(3.0000001), "3.0000001", "3 (off by 1e-07; rtol 1e-06, atol 1e-09)"),
        (0.3001, want(0.3), "0.3", "0.3001 (off by 0.0001; rtol 1e-06, atol 1e-09)"),
        (60.0, want(6), "6", "60.0"),
        (math.nan, want(0), "0", "nan"),
        (math.inf, want(-math.inf), "-inf", "inf"),
        (1e308, want(math.inf), "inf", "1e+308"),
        ((4, 5), want((5, 4)), "(5, 4)", "(4, 5)"),
        ((3,), want(3), "3", "(3,) (a shape of one size is written (3,))"),
        ((5, 4), want([5, 4]), "[5, 4], a list", "(5, 4), a shape: write it in parentheses"),
        ("1.1", want(1.10, "1.10"), "1.10", "'1.1'"),
        ("freed", want("alive"), "'alive'", "'freed'"),
        ([1, 2], want([1, 3]), "3 at [1]", "2 at [1]"),
        ([[1, 2], [3, 4]], want([[1, 2], [5, 4]]), "5 at [1, 0]", "3 at [1, 0]"),
        ([1, 2], want([[1, 2]]), "values of shape (1, 2)", "values of shape (2,): [1, 2]"),
        ([True], want([1]), "1 at [0]", "True at [0]"),
    ],
)
def test_what_differs(fact: Any, expected: Equals, left: str, right: str) -> None:
    """Both sides are said shortly, with the first place that differs."""
    assert differs(fact, expected) == (left, right)


def test_a_long_value_is_cut() -> None:
    """A message shows the beginning of a long text."""
    found = differs("x" * 1000, want("y"))
    assert found is not None
    assert len(found[1]) < 200


facts = st.recursive(
    st.none() | st.booleans() | st.integers(-50, 50) | st.floats(width=32),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


@given(facts)
def test_a_fact_is_itself(fact: Any) -> None:
    """Whatever was observed is what is expected when it is written down again."""
    assert differs(fact, want(fact)) is None


@given(st.lists(st.integers(-9, 9), min_size=1), st.data())
def test_any_one_change_is_seen(values: list[int], data: st.DataObject) -> None:
    """One number of a list changed, and its place is named."""
    at = data.draw(st.integers(0, len(values) - 1))
    changed = [*values]
    changed[at] += data.draw(st.integers(1, 5))
    found = differs(values, want(changed))
    assert found == (f"{changed[at]} at [{at}]", found[1] if found else "")
