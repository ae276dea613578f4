"""The grammar of ``expect``."""

from __future__ import annotations

from typing import Any

import pytest

from closedbook.model.expect import (
    Equals,
    Expectation,
    Formula,
    Gradcheck,
    Raises,
    Text,
    Warns,
)
from closedbook.model.value import Number, Shape
from closedbook.source.expects import parse_expect
from closedbook.source.values import Found


def parsed(raw: dict[str, Any]) -> dict[str, Expectation]:
    """The expectations of something without a mistake."""
    found = Found()
    expect, _ = parse_expect(raw, ("check", "expect"), found)
    assert found.mistakes == []
    return expect


@pytest.mark.parametrize(
    ("written", "expectation"),
    [
        ("(3, 4)", Equals(Shape((3, 4)), "(3, 4)")),
        ("2", Equals(Number(2, "2"), "2")),
        ("0.5", Equals(Number(0.5, "0.5"), "0.5")),
        ("None", Equals(None, "None")),
        ("true", Equals(True, "true")),
        ("alive", Equals("alive", "alive")),
        ("010", Equals("010", "010")),
        ("(numerical) ones", Equals("(numerical) ones", "(numerical) ones")),
        ("(True, False)", Equals([True, False], "(True, False)")),
        ("(1.5, None)", Equals([1.5, None], "(1.5, None)")),
        ([["1", "2"], ["3", "4.5"]], Equals([[1, 2], [3, 4.5]], "[[1, 2], [3, 4.5]]")),
        (["(5, 4)", "None"], Equals([(5, 4), None], "[(5, 4), None]")),
        ({"value": "0.5", "atol": "1e-4", "rtol": "0"},
         Equals(Number(0.5, "0.5"), "0.5", 0.0, 1e-4, True)),
        ({"value": "0.5", "rtol": "1e-3"}, Equals(Number(0.5, "0.5"), "0.5", 1e-3, 0.0, True)),
        ({"value": ["1", "2"]}, Equals([1, 2], "[1, 2]")),
        ({"contains": "numerical:"}, Text("numerical:")),
        ({"contains": "aa", "matches": "b+"}, Text("aa", "b+")),
        ({"formula": " grad_output.t().mm(input) "}, Formula("grad_output.t().mm(input)")),
    ],
)  # fmt: skip
def test_a_fact_is_expected_to_be(written: Any, expectation: Expectation) -> None:
    """Shapes, numbers, tensors, truth, None, text, tolerances and formulas."""
    assert parsed({"fact": written}) == {"fact": expectation}


@pytest.mark.parametrize(
    ("fact", "written", "expectation"),
    [
        ("raises", {"type": "RuntimeError", "contains": "xy"}, Raises("RuntimeError", "xy")),
        ("raises", "torch.autograd.gradcheck.GradcheckError",
         Raises("torch.autograd.gradcheck.GradcheckError")),
        ("raises", "None", Equals(None, "None")),
        ("warns", {"category": "UserWarning", "count": "2"}, Warns("UserWarning", count=2)),
        ("gradcheck", "passes", Gradcheck(True)),
        ("gradcheck", "fails", Gradcheck(False)),
        ("gradgradcheck", {"fails_at": {"output": "0", "input": "2"}}, Gradcheck(False, 0, 2)),
        ("gradcheck", "true", Equals(True, "true")),
    ],
)  # fmt: skip
def test_some_facts_have_forms_of_their_own(
    fact: str, written: Any, expectation: Expectation
) -> None:
    """``raises``, ``warns`` and the two gradient checks."""
    assert parsed({fact: written}) == {fact: expectation}


def test_a_mapping_is_a_group_of_facts() -> None:
    """What is none of the special forms joins its names by dots, and keeps the place of each."""
    found = Found()
    expect, locs = parse_expect(
        {
            "saved_input": {"after_forward": "alive", "after_backward": "freed"},
            "gradcheck": {"message": {"contains": "numerical"}},
            "edited": {"value": "60", "right": "6"},
            "grad_output.t().shape": "(3, 5)",
        },
        ("check", "expect"),
        found,
    )
    assert found.mistakes == []
    assert list(expect) == [
        "saved_input.after_forward",
        "saved_input.after_backward",
        "gradcheck.message",
        "edited.value",
        "edited.right",
        "grad_output.t().shape",
    ]
    assert locs["gradcheck.message"] == ("check", "expect", "gradcheck", "message")
    assert expect["edited.value"] == Equals(Number(60, "60"), "60")


@pytest.mark.parametrize(
    ("raw", "loc", "words"),
    [
        ({"f": ""}, ("f",), "write None"),
        ({"f": {}}, ("f",), "nothing is expected"),
        ({"f": "(3"}, ("f",), "never closed"),
        ({"f": {"value": "x", "atol": "1"}}, ("f", "value"), "goes with a number"),
        ({"f": {"value": "1", "atol": "-1"}}, ("f", "atol"), "from 0"),
        ({"f": {"value": "1", "atoll": "1"}}, ("f", "atoll"), "'atol'"),
        ({"f": {"atol": "1"}}, ("f",), "without a 'value'"),
        ({"f": {"value": "0.9", "atol": "10"}}, ("f", "atol"), "at most 0.09"),
        ({"f": {"value": "7", "rtol": "1"}}, ("f", "rtol"), "at most 0.7"),
        ({"f": {"value": "7", "atol": "inf"}}, ("f", "atol"), "a tenth"),
        ({"f": {"value": "0", "atol": "0.5"}}, ("f", "atol"), "at most 0.1"),
        ({"f": {"value": ["100", ["7"]], "atol": "5"}}, ("f", "atol"), "any number near it"),
        ({"f": {"matches": ".*"}}, ("f", "matches"), "any text"),
        ({"f": {"matches": "77|"}}, ("f", "matches"), "any text"),
        ({"f": {"matches": "(?!77)"}}, ("f", "matches"), "any text"),
        ({"raises": {"matches": "."}}, ("raises", "matches"), "any text"),
        ({"warns": {"contains": " "}}, ("warns", "contains"), "almost any text"),
        ({"f": {"contains": ""}}, ("f", "contains"), "any text"),
        ({"f": {"matches": "("}}, ("f", "matches"), "regular expression"),
        ({"f": {"contains": "x", "match": "x"}}, ("f", "match"), "'matches'"),
        ({"f": {"contains": " a "}}, ("f", "contains"), "one character"),
        ({"raises": "Exception"}, ("raises", "type"), "any would do"),
        ({"raises": {"type": "BaseException"}}, ("raises", "type"), "any would do"),
        ({"warns": {"category": "Warning"}}, ("warns", "category"), "any would do"),
        ({"f": {"formula": "a +"}}, ("f", "formula"), "expression"),
        ({"f": {"formula": ["a"]}}, ("f", "formula"), "is text"),
        ({"f": ["1", {"a": "b"}]}, ("f", 1), "a mapping"),
        ({"raises": "some error"}, ("raises",), "RuntimeError"),
        ({"raises": {"typ": "E"}}, ("raises", "typ"), "'type'"),
        ({"raises": {"type": "not a class"}}, ("raises", "type"), "name of a class"),
        ({"warns": {"count": "two"}}, ("warns", "count"), "whole number"),
        ({"gradcheck": "pass"}, ("gradcheck",), "write passes"),
        ({"gradcheck": {"fails_at": {"out": "0"}}}, ("gradcheck", "fails_at", "out"), "'output'"),
        ({"gradcheck": {"fail_at": {"output": "0"}}}, ("gradcheck",), "fails_at"),
        ({"a.b": "1", "a": {"b": "1"}}, ("a", "b"), "twice"),
        ({"": "1"}, ("",), "name"),
    ],
)
def test_a_mistake_is_told_at_its_token(
    raw: dict[str, Any], loc: tuple[Any, ...], words: str
) -> None:
    """Each mistake says where it is, and what to write instead."""
    found = Found()
    parse_expect(raw, (), found)
    ((at, message, _),) = found.mistakes
    assert at == loc
    assert words in message
