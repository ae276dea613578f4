"""Facts and outcomes as JSON."""

import json
import math
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closedbook.problem import Place
from closedbook.verify.job import (
    Job,
    Mismatch,
    Outcome,
    decode,
    decode_outcome,
    encode,
    encode_outcome,
)

facts = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.lists(st.integers(0, 9), max_size=3).map(tuple),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["tuple", "float", "map", "a"]), inner, max_size=2)
    ),
    max_leaves=8,
)


def same(one: Any, other: Any) -> bool:
    """Compare by type and value; NaN is itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return repr(one) == repr(other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return bool(one == other)


@given(facts)
def test_a_fact_survives_json(fact: Any) -> None:
    """Tuples stay tuples, NaN stays NaN, and a mapping named like a tag stays a mapping."""
    text = json.dumps(encode(fact), allow_nan=False)
    assert same(decode(json.loads(text)), fact)


def test_an_outcome_survives_json_and_pickle() -> None:
    """A receipt gives back the very outcome, but for its key, which the caller knows."""
    outcome = Outcome(
        key="k",
        holds=False,
        facts={"shape": (5, 4), "x": [math.inf, None]},
        mismatches=(Mismatch("x", "1", "2", "unusable", 3),),
        error="error",
        quote="quote",
        seconds=0.25,
        place=Place("generators/e.py", 3),
        argument="input",
        broken=True,
    )
    data = json.loads(json.dumps(encode_outcome(outcome), allow_nan=False))
    assert decode_outcome("k", data) == outcome
    for sent in (outcome, Job("k", "Linear")):
        assert pickle.loads(pickle.dumps(sent)) == sent  # noqa: S301  # written in the same line


@pytest.mark.parametrize(
    "change",
    [
        {"holds": 1},
        {"facts": {"x": {"other": 1}}},
        {"facts": {"x": {"float": "1"}}},
        {"facts": []},
        {"mismatches": [["only", "two"]]},
        {"mismatches": [["fact", "1", "2", "odd", None]]},
        {"mismatches": [["fact", "1", "2", "unusable", "3"]]},
        {"error": 3},
        {"seconds": "soon"},
        {"place": 7},
        {"broken": 1},
        {"argument": 1},
    ],
)
def test_a_damaged_outcome_is_a_value_error(change: dict[str, Any]) -> None:
    """A field that is not what it should be raises ValueError and nothing else."""
    data = encode_outcome(Outcome("k", True))
    with pytest.raises(ValueError, match=r"not an? |could not convert"):
        decode_outcome("k", {**data, **change})


@pytest.mark.parametrize("data", [None, [], {}, {"holds": True}, "text", 3])
def test_what_is_no_outcome_is_a_value_error(data: Any) -> None:
    """Anything but an outcome raises ValueError and nothing else."""
    with pytest.raises(ValueError, match="not an outcome"):
        decode_outcome("k", data)
