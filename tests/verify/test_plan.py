"""A check in words."""

import pytest

from closedbook.model.claim import Check
from closedbook.model.value import Number, Shape, Value
from closedbook.verify.plan import call_in_words


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("SquareOnCtx", "SquareOnCtx"),
        ("a few words", "a few words"),
        (" a  b ", "' a  b '"),
        (" ", "' '"),
        ("a, by=b", "'a, by=b'"),
        (Number(1.1, "1.10"), "1.10"),
        (Shape((5, 4)), "(5, 4)"),
        ({"by": ","}, "{by: ','}"),
    ],
)
def test_a_text_stands_in_quotes_where_its_ends_would_be_lost(value: Value, shown: str) -> None:
    """Names and words stand bare; blanks at the ends, commas and brackets are kept by quotes."""
    assert call_in_words(Check(run="f", arguments={"x": value}, expect={})) == f"f(x={shown})"
