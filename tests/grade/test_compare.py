"""What is said of two tensors that do not agree, whatever they hold."""

from __future__ import annotations

import pytest
import torch

from closedbook.grade.compare import difference
from closedbook.grade.sandbox.inside import wire


@pytest.mark.parametrize("name", sorted(wire.ITEM))
def test_tensors_of_any_dtype_can_be_compared(name: str) -> None:
    """Equal ones agree; of others the two values are told, also where dtypes cannot be negated."""
    kind: torch.dtype = getattr(torch, name)
    one, other = torch.tensor([[0.0, 1.0], [1.0, 1.0]]).to(kind), torch.eye(2).to(kind)
    assert difference(one, one.clone()) is None
    assert difference(torch.zeros(0).to(kind), torch.zeros(0).to(kind)) is None
    told = difference(one, other)
    assert told is not None
    assert told[0].endswith(" at [0, 0]")


@pytest.mark.parametrize(
    ("seen", "expected", "words"),
    [
        (torch.zeros(2), torch.ones(2), "0, all zeros"),
        (-torch.ones(2), torch.ones(2), "-1, the negative everywhere"),
        (torch.tensor([[0.0, 2], [1, 0]]), torch.tensor([[0.0, 1], [2, 0]]), ", the transpose"),
        (torch.ones(2) * 3, torch.ones(2), "3, 3 times as much everywhere"),
        (torch.ones(2).double(), torch.ones(2), "torch.float64"),
        (torch.ones(3), torch.ones(2), "shape (3,)"),
        (None, torch.ones(2), "None"),
        (torch.full((2,), float("nan")), torch.ones(2), "nan"),
    ],
)
def test_how_two_tensors_are_related(
    seen: torch.Tensor | None, expected: torch.Tensor, words: str
) -> None:
    """A sign, a factor, a transpose, another shape or dtype: the words say which."""
    told = difference(seen, expected)
    assert told is not None
    assert words in told[1]
