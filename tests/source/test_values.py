"""The grammar of ``with``."""

from __future__ import annotations

import math
from typing import Any

import pytest

from closedbook.model.value import Number, Shape, TensorSpec
from closedbook.source.values import Found, Mistake, parse_arguments, parse_value


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("(5, 4)", Shape((5, 4))),
        ("(3,)", Shape((3,))),
        ("()", Shape(())),
        ("( 5 ,4 )", Shape((5, 4))),
        ("3", Number(3, "3")),
        ("-7", Number(-7, "-7")),
        ("+2", Number(2, "+2")),
        ("1e-6", Number(1e-6, "1e-6")),
        ("1.10", Number(1.1, "1.10")),
        (".5", Number(0.5, ".5")),
        ("-inf", Number(-math.inf, "-inf")),
        ("None", None),
        ("true", True),
        ("False", False),
    ],
)
def test_a_scalar_is_what_it_looks_like(written: str, value: object) -> None:
    """Shapes, numbers, truth values and None are read; a number keeps the text typed for it."""
    assert parse_value(written) == value
    assert type(parse_value(written)) is type(value)


@pytest.mark.parametrize(
    "written",
    ["on", "no", "12:30", "010", "1_000", "0x10", "SquareOnCtx", "(a, b)", "n/a", "1.2.3"],
)
def test_the_rest_is_the_text_that_was_typed(written: str) -> None:
    """YAML 1.1's surprises stay text."""
    assert parse_value(written) == written


@pytest.mark.parametrize("written", [" ", "\t", " a  b ", "\na", "a\n"])
def test_text_keeps_the_blanks_around_it(written: str) -> None:
    """A text between quotes is given as it stands; blanks alone are a text too."""
    assert parse_value(written) == written


def test_blanks_around_anything_else_do_not_count() -> None:
    """A number, a shape and a truth value are what they are without them; nothing is nothing."""
    assert parse_value(" 3 ") == Number(3, "3")
    assert parse_value("(3,)\n") == Shape((3,))
    assert parse_value(" true") is True
    with pytest.raises(Mistake, match="nothing is given"):
        parse_value("")


def test_nan_is_a_number() -> None:
    """``nan`` is the float of that name."""
    value = parse_value("nan")
    assert isinstance(value, Number)
    assert math.isnan(value.value)


@pytest.mark.parametrize(
    ("written", "spec"),
    [
        (["1", "2.5"], TensorSpec(values=[1, 2.5])),
        ([["1", "2"], ["3", "4"]], TensorSpec(values=[[1, 2], [3, 4]])),
        (["true", "false"], TensorSpec(values=[True, False])),
        ([], TensorSpec(values=[])),
        (
            {"shape": "(5, 4)", "dtype": "float32", "requires_grad": "false", "fill": "ones",
             "strides": "(1, 5)"},
            TensorSpec(Shape((5, 4)), None, "float32", False, "ones", (1, 5)),
        ),
        ({"shape": ["5", "4"]}, TensorSpec(Shape((5, 4)))),
        ({"shape": "(2,)", "fill": "0.5"}, TensorSpec(Shape((2,)), fill=0.5)),
        ({"values": "3", "dtype": "torch.int64"}, TensorSpec(values=3, dtype="int64")),
    ],
)  # fmt: skip
def test_lists_and_mappings_describe_tensors(written: Any, spec: TensorSpec) -> None:
    """A list is a tensor's values; a mapping with a shape or values controls the rest."""
    assert parse_value(written) == spec


def test_another_mapping_is_passed_on() -> None:
    """A mapping that is no tensor keeps its names, and its values are read the same way."""
    assert parse_value({"lr": "0.1", "of": {"size": "(2, 2)"}}) == {
        "lr": Number(0.1, "0.1"),
        "of": {"size": Shape((2, 2))},
    }


@pytest.mark.parametrize(
    ("written", "loc", "words"),
    [
        ("(3)", (), "(3,)"),
        ("(5, 4", (), "write (5, 4)"),
        ("(5, -1)", (), "whole numbers from 0"),
        ("(5x4)", (), "(5, 4)"),
        ("1e999", (), "too large"),
        ("", (), "None"),
        ("9" * 5000, (), "5000 digits"),
        ("(" + "9" * 19 + ",)", (), "too large"),
        ([["1", "2"], ["3"]], (), "one length"),
        (["1", ["2"]], (), "one length"),
        (["1", "(2,)"], (1,), "found a shape"),
        (["two", "(2, 3)"], (1,), "not a shape"),
        (["two", ["1", {"a": "b"}]], (1, 1), "not a mapping"),
        (["two", ""], (1,), "None"),
        (["1", "(2"], (1,), "(2)"),
        (["(5, 4)"], (0,), "several arguments"),
        ({"shape": "(2, 2)", "dtyp": "float32"}, ("dtyp",), "'dtype'"),
        ({"shape": "(2, 2)", "values": ["1"]}, (), "one of them"),
        ({"dtype": "float32"}, (), "'shape' or"),
        ({"shape": "5"}, ("shape",), '"(5, 4)"'),
        ({"shape": "(2, 2)", "dtype": "float31"}, ("dtype",), "'float32'"),
        ({"shape": "(2, 2)", "fill": "some"}, ("fill",), "zeros"),
        ({"shape": "(2, 2)", "requires_grad": "no"}, ("requires_grad",), "true or false"),
        ({"shape": "(2, 2)", "strides": "(1,)"}, ("strides",), "2 dimensions"),
        ({"shape": "(99999, 99999)"}, ("shape",), "9999800001 numbers"),
        ({"of": {"size": "(3)"}}, ("of", "size"), "(3,)"),
    ],
)
def test_a_mistake_is_told_at_its_token(written: Any, loc: tuple[Any, ...], words: str) -> None:
    """Each mistake says where it is, and what to write instead."""
    with pytest.raises(Mistake) as caught:
        parse_value(written)
    assert caught.value.loc == loc
    assert words in caught.value.message


def test_a_list_with_a_text_in_it_is_no_tensor() -> None:
    """Texts and numbers stay what they are, in their order; numbers alone are a tensor's values."""
    one, ten = Number(1, "1"), Number(1.1, "1.10")
    assert parse_value(["pear", "1", "1.10", "None", "true"]) == ("pear", one, ten, None, True)
    assert parse_value([["pear", "1"], [], ["1"]]) == (("pear", one), (), (one,))
    assert parse_value(["010"]) == ("010",)
    assert parse_value(["1", "2"]) == TensorSpec(values=[1, 2])
    assert parse_value({"words": ["pear"]}) == {"words": ("pear",)}


def test_every_argument_is_looked_at() -> None:
    """One mistake does not hide another, nor what is right."""
    found = Found()
    arguments = parse_arguments({"a": "(3)", "b": "2", "c": ["x", ""]}, ("check", "with"), found)
    assert arguments == {"b": Number(2, "2")}
    assert [loc for loc, _, _ in found.mistakes] == [
        ("check", "with", "a"),
        ("check", "with", "c", 1),
    ]
