"""How many gradients go in and come out, and small sums that follow from the chain rule."""

import torch
from torch.autograd import Function

from closedbook import experiment

from ..functions.linear import LinearFunction
from ..functions.mul_constant import MulConstant
from ..functions.powers import Cube
from ._tools import draw, message


@experiment
def gradient_counts(
    tensors: int = 2, numbers: int = 1, outputs: int = 1, last_only: bool = False
) -> dict[str, int]:
    """A Function of so many tensors, plain numbers and outputs: what goes in, what must come out.

    ``needed`` is the least number of values that backward may hand back without an error, and
    ``last_only`` leaves all outputs but the last out of the loss.
    """
    seen = {}

    class Sums(Function):
        @staticmethod
        def forward(ctx, *arguments):
            return tuple(sum(arguments) * k for k in range(outputs))

        @staticmethod
        def backward(ctx, *grads):
            seen["received"] = len(grads)
            return (None,) * seen["returned"]

    def backward() -> None:
        results = Sums.apply(*[draw(2) for _ in range(tensors)], *[1.0] * numbers)
        sum(result.sum() for result in results[-last_only:]).backward()

    for returned in range(1, tensors + numbers + 3):
        seen["returned"] = returned
        if message(backward) is None:
            break
    return {"received": seen["received"], "needed": seen["returned"]}


@experiment
def wrong_count(expected: int = 2, got: int = 3) -> dict[str, object]:
    """A Function of so many tensors whose backward hands back another number of them."""

    class Total(Function):
        @staticmethod
        def forward(ctx, *arguments):
            return sum(arguments)

        @staticmethod
        def backward(ctx, grad_output):
            return (grad_output,) * got

    output = Total.apply(*[draw(2) for _ in range(expected)])
    return {"error": message(lambda: output.sum().backward())}


@experiment
def refused_position(before: int = 1) -> dict[str, object]:
    """A plain number after so many tensors, and a tensor in its place among the gradients."""

    class Total(Function):
        @staticmethod
        def forward(ctx, *arguments):
            return sum(arguments)

        @staticmethod
        def backward(ctx, grad_output):
            return (grad_output,) * (before + 1)

    output = Total.apply(*[draw(2) for _ in range(before)], 5.0)
    return {"error": message(lambda: output.sum().backward())}


@experiment
def refused_shape(before: int = 1) -> dict[str, object]:
    """A gradient of a wrong shape for the input after so many others: which index is named?"""

    class Total(Function):
        @staticmethod
        def forward(ctx, *arguments):
            return sum(arguments)

        @staticmethod
        def backward(ctx, grad_output):
            return (*(grad_output,) * before, grad_output[:1, :1])

    output = Total.apply(*[draw(2, 3) for _ in range(before + 1)])
    return {"error": message(lambda: output.backward(torch.ones_like(output)))}


@experiment
def chained_constants(first: float = 2.0, second: float = 5.0) -> dict[str, float]:
    """MulConstant of MulConstant: the gradient of the sum with respect to one element."""
    x = draw(3)
    MulConstant.apply(MulConstant.apply(x, first), second).sum().backward()
    return {"grad": x.grad[0].item()}


@experiment
def added_constants(first: float = 2.0, second: float = 5.0) -> dict[str, float]:
    """One tensor goes through two MulConstants, and the results are added."""
    x = draw(3)
    (MulConstant.apply(x, first) + MulConstant.apply(x, second)).sum().backward()
    return {"grad": x.grad[0].item()}


@experiment
def mean_gradient(rows: int = 3, columns: int = 4) -> dict[str, float]:
    """The mean of a matrix: how many elements share the gradient, and what their shares sum to."""
    x = draw(rows, columns)
    x.mean().backward()
    share = x.grad[0, 0].item()
    return {"elements": round(1 / share), "total": round(x.grad.sum().item(), 9)}


@experiment
def cube_terms(value: float = 2.0, cube: float = 1.0, square: float = 1.0) -> dict[str, float]:
    """What the cube and its extra output contribute, each weighted as given."""
    x = torch.tensor(value, dtype=torch.double, requires_grad=True)
    one, two = Cube.apply(x)
    (cube * one + square * two).backward()
    return {"grad": x.grad.item(), "three_squares": 3 * value**2, "two_x": 2 * value}


@experiment
def outputs_of_weight(k: int = 1, i: int = 2) -> dict[str, object]:
    """The rows and columns of the elements of a linear layer's output that depend on weight[k, i].

    ``input`` is (5, 4) and ``weight`` (3, 4); an element depends on it where its gradient is not 0.
    """
    input, weight = draw(5, 4), draw(3, 4)
    output = LinearFunction.apply(input, weight)
    found = []
    for row in range(output.shape[0]):
        for column in range(output.shape[1]):
            (grad,) = torch.autograd.grad(output[row, column], weight, retain_graph=True)
            if grad[k, i] != 0:
                found.append((row, column))
    rows, columns = zip(*found, strict=True)
    return {"count": len(found), "rows": list(rows), "columns": list(columns)}


@experiment
def saved_by_linear(rows: int = 5, features_in: int = 4, features_out: int = 3) -> dict[str, int]:
    """How many numbers LinearFunction keeps between forward and backward."""
    output = LinearFunction.apply(draw(rows, features_in), draw(features_out, features_in))
    saved = output.grad_fn.saved_tensors
    return {"count": len(saved), "numbers": sum(t.numel() for t in saved)}
