"""Calls, draws and facts in words: what is shown never contradicts the card."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closedbook.model.bank import Generator
from closedbook.model.claim import Check
from closedbook.model.expect import Equals, Formula
from closedbook.model.value import Number, Shape, TensorSpec, Value
from closedbook.paper.evidence import fact_lines
from closedbook.verify.verified import Fact
from closedbook.verify.words import apart, call_in_words, fact_in_words, facts_in_words
from tests.verify.bank import card, make_bank, messages, verify


def number(value: float, **tolerance: float) -> Equals:
    """The expectation of a number, within the tolerance that is stated, or the usual one."""
    stated = {"rtol": 0.0, "atol": 0.0, **tolerance} if tolerance else {}
    return Equals(Number(value, repr(value)), repr(value), **stated)


TENTHS = """\
from closedbook import experiment


@experiment
def tenths(times: int) -> dict:
    total = 0.0
    for _ in range(times):
        total += 0.1
    return {"observed": total, "right": 1.0, "tiny": 1.7763568394002505e-15}
"""
TENTHS_CARD = card(
    """
    ask: What do ten times `0.1` give?
    claims:
      - say: It gives 0.9999999999999999, where 1 is right.
        check:
          run: tenths
          with: {times: 10}
          expect:
            observed: {value: 0.9999999999999999, atol: 0, rtol: 0}
            right: {value: 1, atol: 0, rtol: 0}
            tiny: 1.7763568394002505e-15
    """
)


def test_the_evidence_shows_the_digits_that_the_card_is_about(tmp_path: Path) -> None:
    """Where a card says 0.9999999999999999 and 1, what was observed does not read 1 and 1."""
    verified, report = verify(make_bank(tmp_path, TENTHS_CARD, experiments=TENTHS))
    assert messages(report) == []
    assert verified is not None
    [evidence] = verified.cards[0].at(0).evidence
    assert evidence is not None
    assert fact_lines(evidence) == (
        ("observed", "0.9999999999999999"),
        ("right", "1"),
        ("tiny", "1.7763568394002505e-15"),
    )


@pytest.mark.parametrize(
    ("fact", "want", "shown"),
    [
        (0.1 + 0.2, None, "0.30000000000000004"),
        (0.1 + 0.2, Formula("a + b"), "0.30000000000000004"),
        (0.1 + 0.2, number(0.3, atol=0), "0.30000000000000004"),
        (0.1 + 0.2, number(0.3), "0.3"),
        (0.1 + 0.2, number(0.1 + 0.2), "0.30000000000000004"),
        (0.5034567, number(0.5, atol=0.01), "0.503"),
        (1 / 3, number(0.333333), "0.3333333"),
        (1 / 3, number(0.33333333), "0.33333333"),
        (1.0000005, number(1), "1.0000005"),
        (2.7e-17, number(0), "3e-17"),
        (1.7763568394002505e-15, number(1.78e-15), "1.78e-15"),
        (1 - 2**-53, number(1), "1"),
        (1.0, number(1 - 2**-53), "1"),
        (0.10000000149011612, number(0.1), "0.1"),  # 0.1 of a float32
        (60.0, number(60), "60"),
        (60, number(60), "60"),
        (1e22, number(1e22), "1e+22"),
        (-0.0, number(0), "0"),
        (-0.0, number(-0.0), "-0.0"),
        (math.nan, number(math.nan), "nan"),
        (-math.inf, number(-math.inf), "-inf"),
        ([0.1 + 0.2, 2.0], Equals([0.3, 2], "[0.3, 2]"), "[0.3, 2]"),
        ([[0.1 + 0.2]], Equals([0.3, 2], "[0.3, 2]"), "[[0.30000000000000004]]"),
        (True, number(1), "True"),
        (None, None, "None"),
        ((3,), None, "(3,)"),
        ("0.1", None, "'0.1'"),
        ({"a": 0.5, "b": [None]}, None, "a: 0.5, b: [None]"),
    ],
)
def test_digits_beyond_the_tolerance_are_left_out(
    fact: Fact, want: Equals | Formula | None, shown: str
) -> None:
    """A number is shown whole, but for digits that the check could not tell from others."""
    assert fact_in_words(fact, want) == shown


def test_two_different_facts_never_look_alike() -> None:
    """0.1 + 0.2 and 0.3, both expected as 0.3, are told apart, in one check or in two."""
    near = {"sum": 0.1 + 0.2}, {"sum": number(0.3)}
    right = {"right": 0.3}, {"right": number(0.3)}
    assert facts_in_words([near]) == [{"sum": "0.3"}]
    apart = {"sum": "0.30000000000000004", "right": "0.3"}
    assert facts_in_words([(near[0] | right[0], near[1] | right[1])]) == [apart]
    assert facts_in_words([near, right]) == [{"sum": apart["sum"]}, {"right": "0.3"}]


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_a_float_reads_back(one: float, other: float) -> None:
    """Without a tolerance the shown digits are the very number; of two, each is told apart."""
    assert float(fact_in_words(one)) == one
    assert (fact_in_words(one) == fact_in_words(other)) == (one == other)


@given(
    st.floats(-1e6, 1e6),
    st.floats(-1, 1),
    st.sampled_from([1e-2, 1e-6, 1e-9, 1e-15]),
)
def test_what_is_shown_is_within_a_part_of_the_tolerance(
    expected: float, off: float, atol: float
) -> None:
    """A rounded number is so near the observed one that the check would take it too."""
    observed = expected + off * atol
    shown = float(fact_in_words(observed, number(expected, atol=atol)))
    assert abs(shown - observed) <= atol / 10


@pytest.mark.parametrize(
    ("one", "other", "said"),
    [
        (0.5, 0.25, ("0.5", "0.25")),
        (1 / 3, 2 / 3, ("0.333333", "0.666667")),
        (1.0000002, 1.0, ("1.0000002", "1")),
        (1 - 2**-53, 1.0, ("0.9999999999999999", "1")),
    ],
)
def test_two_sides_that_differ_are_told_apart(
    one: float, other: float, said: tuple[str, str]
) -> None:
    """A message never says that 1 was expected and 1 observed."""
    assert apart(one, other) == said


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("a few words", "'a few words'"),
        ("word", "'word'"),
        ("1,5", "'1,5'"),
        (" a  b ", "' a  b '"),
        ("it's", '"it\'s"'),
        (Number(1.1, "1.10"), "1.10"),
        (Shape((5, 4)), "(5, 4)"),
        (None, "None"),
        (True, "True"),
        ({"by": ",", "count": Number(2, "2")}, "{by: ',', count: 2}"),
        (TensorSpec(values=[1, 2]), "[1, 2]"),
        (TensorSpec(Shape((2,)), dtype="float32", fill="ones"),
         "tensor((2,), float32, filled with ones)"),
    ],
)  # fmt: skip
def test_a_text_stands_in_quotes_and_nothing_else_does(value: Value, shown: str) -> None:
    """Each text is told from a name, a number and a shape; that of a Function is a name."""
    generator = Generator("f", "experiment", "f.py", 1, "", {}, ("of", "x"), (), ("of",))
    check = Check(run="f", arguments={"of": "SquareOnCtx", "x": value}, expect={})
    assert call_in_words(check, generator) == f"f(of=SquareOnCtx, x={shown})"
