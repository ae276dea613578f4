"""Edits between forward and backward, and who notices them."""

import torch
from torch.autograd import Function

from closedbook import experiment

from ._tools import message, plain


def _right(function: type[Function], value: float) -> float:
    """The gradient at ``value`` by torch's own backward of forward's operations."""
    x = torch.tensor(value, dtype=torch.double, requires_grad=True)
    (grad,) = torch.autograd.grad(plain(function, x), x)
    return grad.item()


@experiment
def edit_then_backward(
    function: type[Function], value: float = 3.0, times: float = 10.0
) -> dict[str, float]:
    """The input is multiplied in place after forward; then comes backward."""
    x = torch.tensor(value, dtype=torch.double, requires_grad=True)
    output = function.apply(x)
    with torch.no_grad():
        x.mul_(times)
    output.backward()
    return {"grad": x.grad.item(), "correct": _right(function, value)}


@experiment
def edit_data_then_backward(
    function: type[Function], value: float = 3.0, times: float = 10.0
) -> dict[str, object]:
    """The same edit through .data, and what the version counter says of it."""
    x = torch.tensor(value, dtype=torch.double, requires_grad=True)
    output = function.apply(x)
    before = x._version
    x.data.mul_(times)
    facts = {"counted": x._version - before}
    output.backward()
    return {**facts, "grad": x.grad.item(), "correct": _right(function, value)}


@experiment
def edit_noticed_when_read(function: type[Function]) -> dict[str, object]:
    """A saved input is edited: does the edit raise, or reading, or backward?"""
    x = torch.tensor([1.0, 2.0], dtype=torch.double, requires_grad=True)
    output = function.apply(x)

    def edit() -> None:
        with torch.no_grad():
            x.add_(1)

    return {
        "edit": message(edit),
        "read": message(lambda: output.grad_fn.saved_tensors),
        "backward": message(output.sum().backward),
    }


@experiment
def edit_output_then_backward(function: type[Function]) -> dict[str, str | None]:
    """The output is multiplied in place after forward; then comes backward."""
    x = torch.tensor([1.0, 2.0], dtype=torch.double, requires_grad=True)
    output = function.apply(x)
    output.mul_(2)
    return {"error": message(output.sum().backward)}


@experiment
def version_counts(edits: int = 2) -> dict[str, int]:
    """The version counter of a tensor, of its view and of its detached self, after edits."""
    x = torch.zeros(3)
    start = x._version
    view, detached = x[:1], x.detach()
    for _ in range(edits):
        view.add_(1)
    return {
        "start": start,
        "base": x._version,
        "detached": detached._version,
    }
