"""Making arguments from what ``with`` says."""

from typing import Any

import pytest
import torch

from closedbook.model.value import Number, Shape, TensorSpec
from closedbook.verify.run.inputs import BadArgumentError, build, plain, value_of


def test_a_shape_is_drawn_from_its_name() -> None:
    """The same argument gets the same numbers each time, another one or another draw others."""
    first = build("input", Shape((2, 3)))
    assert torch.equal(first, build("input", Shape((2, 3))))
    assert not torch.equal(first, build("weight", Shape((2, 3))))
    assert not torch.equal(first, build("input", Shape((2, 3)), 1))
    assert (first.dtype, first.requires_grad) == (torch.float64, True)


def test_drawing_leaves_torchs_own_generator_alone() -> None:
    """Arguments take nothing from the generator that Functions draw from."""
    torch.manual_seed(1)
    build("input", Shape((100,)))
    drawn = torch.rand(())
    torch.manual_seed(1)
    assert torch.equal(drawn, torch.rand(()))


@pytest.mark.parametrize(
    ("spec", "values", "dtype", "needs"),
    [
        (TensorSpec(values=[[1, 2], [3, 4]]), [[1, 2], [3, 4]], "float64", True),
        (TensorSpec(values=[True, False]), [True, False], "bool", False),
        (TensorSpec(values=[1, 2], dtype="int64"), [1, 2], "int64", False),
        (TensorSpec(values=1.5), 1.5, "float64", True),
        (TensorSpec(shape=Shape((2,)), fill="zeros"), [0, 0], "float64", True),
        (TensorSpec(shape=Shape((2, 2)), fill="arange"), [[0, 1], [2, 3]], "float64", True),
        (TensorSpec(shape=Shape((2,)), fill=2.5, dtype="float32"), [2.5, 2.5], "float32", True),
        (TensorSpec(shape=Shape(()), fill="ones", requires_grad=False), 1, "float64", False),
    ],
)
def test_a_described_tensor(spec: TensorSpec, values: Any, dtype: str, needs: bool) -> None:
    """Values, dtype and whether a gradient is wanted come from the description."""
    made = build("x", spec)
    assert made.tolist() == values
    assert (made.dtype, made.requires_grad) == (getattr(torch, dtype), needs)


@pytest.mark.parametrize("dtype", ["bool", "int32", "complex128", "float16"])
def test_random_tensors_of_any_dtype(dtype: str) -> None:
    """Every dtype can be drawn, the same each time."""
    spec = TensorSpec(shape=Shape((3, 4)), dtype=dtype)
    made = build("x", spec)
    assert made.dtype is getattr(torch, dtype)
    assert torch.equal(made, build("x", spec))
    assert len(set(made.flatten().tolist())) > 1


def test_strides() -> None:
    """The values stay where they are, laid out as told; a stride 0 repeats the first."""
    turned = build("x", TensorSpec(shape=Shape((2, 3)), fill="arange", strides=(1, 2)))
    assert (turned.stride(), turned.tolist()) == ((1, 2), [[0, 1, 2], [3, 4, 5]])
    repeated = build("x", TensorSpec(values=[[1.0, 2.0], [3.0, 4.0]], strides=(0, 1)))
    assert (repeated.stride(), repeated.tolist()) == ((0, 1), [[1, 2], [1, 2]])


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (TensorSpec(shape=Shape((2,)), dtype="int64", requires_grad=True), "'x' cannot be made: "),
        (TensorSpec(values=[[1, 2], [3]]), "'x' cannot be made: "),
        (TensorSpec(shape=Shape((2,)), dtype="float46"), "torch has no dtype 'float46'"),
    ],
)
def test_what_cannot_be_made(spec: TensorSpec, message: str) -> None:
    """What torch refuses is said with the argument's name."""
    with pytest.raises(BadArgumentError) as caught:
        build("x", spec)
    assert str(caught.value).startswith(message)


def test_a_mapping_is_passed_on_as_plain_data() -> None:
    """Within a mapping a shape is a tuple and a list a list."""
    given = {"n": Number(1, "1"), "s": Shape((2,)), "v": TensorSpec(values=[1]), "m": {"t": "x"}}
    assert build("x", given) == {"n": 1, "s": (2,), "v": [1], "m": {"t": "x"}}
    with pytest.raises(BadArgumentError, match="cannot stand inside a mapping"):
        plain({"t": TensorSpec(shape=Shape((2,)))})


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ((5, 4), Shape((5, 4))),
        (2.5, Number(2.5, "2.5")),
        (True, True),
        (None, None),
        ([1.0], TensorSpec(values=[1.0])),
        ({"shape": (2,), "dtype": torch.float32}, TensorSpec(shape=Shape((2,)), dtype="float32")),
        (torch.tensor([1, 2]), TensorSpec(values=[1, 2], dtype="int64")),
        ({"other": 1}, {"other": Number(1, "1")}),
    ],
)
def test_an_example_in_python(raw: Any, value: Any) -> None:
    """An example says in Python what ``with`` says in YAML."""
    assert value_of(raw) == value


def test_an_example_of_something_else() -> None:
    """What has no meaning in ``with`` has none in an example."""
    with pytest.raises(BadArgumentError, match="an example cannot hold"):
        value_of(object())
