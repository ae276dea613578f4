"""What gradcheck does, what it needs, and what passes it by."""

import inspect
import warnings

import torch
from torch.autograd import Function, gradcheck
from torch.autograd.gradcheck import GradcheckError

from closedbook import experiment

from ..functions.linear import LinearFunction
from ..functions.pointwise import Relu
from ..functions.powers import Square
from ._tools import complaint, draw, message, passes, sample


@experiment
def gradcheck_defaults() -> dict[str, object]:
    """The defaults in gradcheck's signature."""
    parameters = inspect.signature(gradcheck).parameters
    return {name: parameters[name].default for name in ("eps", "atol", "rtol", "fast_mode")}


@experiment
def gradcheck_passes(function: type[Function], fast: bool = False) -> dict[str, object]:
    """Does gradcheck pass a Function at fitting arguments?"""
    arguments = tuple(sample(function))
    error = complaint(lambda: gradcheck(function.apply, arguments, fast_mode=fast))
    return {"passes": error is None, "message": error}


@experiment
def forward_calls(size: int = 3) -> dict[str, int]:
    """How often slow gradcheck runs forward for an input of so many numbers."""
    calls = []

    def counted(x: torch.Tensor) -> torch.Tensor:
        calls.append(1)
        return Square.apply(x)

    def run(length: int) -> int:
        calls.clear()
        gradcheck(counted, (draw(length),))
        return len(calls)

    return {"extra": run(size + 1) - run(size), "calls": run(size)}


@experiment
def linear_in_float32() -> dict[str, object]:
    """A right linear layer, checked in single precision."""
    x = torch.randn(2, 3, requires_grad=True)
    w = torch.randn(2, 3, requires_grad=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        error = complaint(lambda: gradcheck(LinearFunction.apply, (x, w)))
    double = gradcheck(LinearFunction.apply, (x.double().detach().requires_grad_(), draw(2, 3)))
    return {
        "passes": error is None,
        "passes_in_double": double,
        "warnings": len(caught),
        "message": str(caught[0].message).splitlines()[0],
    }


@experiment
def nothing_to_check() -> dict[str, object]:
    """gradcheck of an input that does not require its gradient."""
    x = torch.ones(3, dtype=torch.double)
    error = message(lambda: gradcheck(Square.apply, (x,)))
    mended = gradcheck(Square.apply, (x.requires_grad_(),))
    return {"error": error, "passes_when_required": mended}


@experiment
def relu_at(value: float = 0.0) -> dict[str, object]:
    """gradcheck of a right relu at a value."""
    x = torch.tensor([value], dtype=torch.double, requires_grad=True)
    error = complaint(lambda: gradcheck(Relu.apply, (x,)))
    (grad,) = torch.autograd.grad(Relu.apply(x).sum(), x)
    return {"passes": error is None, "grad": grad.item(), "message": error}


@experiment
def slope_off_by(percent: float = 0.05, rtol: float = 1e-3) -> dict[str, object]:
    """A square whose backward is so many per cent too large: gradcheck's verdict."""

    class Off(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad_output):
            (x,) = ctx.saved_tensors
            return grad_output * 2 * x * (1 + percent / 100)

    x = torch.tensor([1.0, 2.0], dtype=torch.double, requires_grad=True)
    return {"passes": gradcheck(Off.apply, (x,), rtol=rtol, raise_exception=False)}


@experiment
def let_through(small: float = 0.05, middle: float = 0.2, large: float = 1.0) -> dict[str, object]:
    """Three such squares, each off by its own per cent: which does gradcheck let through?"""
    return {
        name: slope_off_by(percent)["passes"]
        for name, percent in (("small", small), ("middle", middle), ("large", large))
    }


@experiment
def quiet_failure() -> dict[str, object]:
    """A wrong backward with raise_exception=False."""

    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output

    raised = ""
    try:
        gradcheck(Wrong.apply, (draw(2),))
    except GradcheckError as error:
        raised = type(error).__name__
    quiet = gradcheck(Wrong.apply, (draw(2),), raise_exception=False)
    return {"result": quiet, "raised": raised}


@experiment
def not_a_function() -> dict[str, object]:
    """A plain function that is no autograd.Function: gradcheck's word on it."""

    def square(x: torch.Tensor) -> torch.Tensor:
        return x * x

    return {"passes": gradcheck(square, (draw(3),))}


@experiment
def jacobian_of_slope(slope: float = 2.0, claimed: float = 5.0) -> dict[str, object]:
    """y = slope * x with a backward that claims another slope: the mismatch, at one number."""

    class Line(Function):
        @staticmethod
        def forward(ctx, x):
            return x * slope

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * claimed

    x = torch.ones(1, dtype=torch.double, requires_grad=True)
    text = complaint(lambda: gradcheck(Line.apply, (x,))) or ""
    parts = dict(line.split(":", 1) for line in text.splitlines() if line[:3] in ("num", "ana"))
    read = {name: float(part.split("[[")[1].split("]]")[0]) for name, part in parts.items()}
    return {**read, "message": text}


@experiment
def wrong_branch(output: int = 1, input: int = 0) -> dict[str, object]:
    """Two outputs, two inputs, one wrong pair: which pair does gradcheck name?"""

    class Pair(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a + 2 * b, 3 * a + 4 * b

        @staticmethod
        def backward(ctx, g0, g1):
            slopes = [[1.0, 2.0], [3.0, 4.0]]
            slopes[output][input] += 1
            to_a = g0 * slopes[0][0] + g1 * slopes[1][0]
            to_b = g0 * slopes[0][1] + g1 * slopes[1][1]
            return to_a, to_b

    error = complaint(lambda: gradcheck(Pair.apply, (draw(1), draw(1)))) or ""
    return {"first_line": error.splitlines()[0]}


@experiment
def random_forward() -> dict[str, object]:
    """A dropout whose mask is drawn anew in each forward, its backward being right."""

    class Dropout(Function):
        @staticmethod
        def forward(ctx, x):
            mask = (torch.rand_like(x) > 0.5) * 2.0
            ctx.save_for_backward(mask)
            return x * mask

        @staticmethod
        def backward(ctx, grad_output):
            (mask,) = ctx.saved_tensors
            return grad_output * mask

    def seeded(x: torch.Tensor) -> torch.Tensor:
        torch.manual_seed(0)
        return Dropout.apply(x)

    x = draw(8)
    return {
        "passes": passes(gradcheck, Dropout.apply, (x,)),
        "passes_seeded": passes(gradcheck, seeded, (x,)),
    }
