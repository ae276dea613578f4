"""Backward through backward: gradient penalties, and who supports them."""

import re

import torch
from torch.autograd import Function, gradcheck, gradgradcheck

from closedbook import experiment

from ..functions.pointwise import Exp
from ..functions.powers import Square
from ._tools import complaint, draw, first, message, passes, plain


@experiment
def second_order(function: type[Function], value: float = 2.0) -> dict[str, object]:
    """First and second derivative at a value, beside those of torch's own backward."""
    facts: dict[str, object] = {}
    for label, call in (("", function.apply), ("correct_", lambda t: plain(function, t))):
        x = torch.tensor(value, dtype=torch.double, requires_grad=True)
        (one,) = torch.autograd.grad(first(call(x)), x, create_graph=True)
        facts[f"{label}first"] = one.item()
        facts[f"{label}second"] = None
        if one.requires_grad:
            (two,) = torch.autograd.grad(one, x, allow_unused=True)
            facts[f"{label}second"] = None if two is None else two.item()
    return facts


@experiment
def weighted_second_order(function: type[Function], value: float = 2.0) -> dict[str, object]:
    """The second derivative of w * f(x), the weight w requiring its gradient too."""
    facts: dict[str, object] = {}
    for label, call in (("", function.apply), ("correct_", lambda t: plain(function, t))):
        x = torch.tensor(value, dtype=torch.double, requires_grad=True)
        w = torch.tensor(1.0, dtype=torch.double, requires_grad=True)
        (one,) = torch.autograd.grad(w * first(call(x)), x, create_graph=True)
        (two,) = torch.autograd.grad(one, x, allow_unused=True)
        facts[f"{label}second"] = None if two is None else two.item()
    return facts


@experiment
def penalty(function: type[Function], value: float = 3.0) -> dict[str, object]:
    """loss = f(x) + (df/dx)²: the gradient that an optimiser would get."""
    facts: dict[str, object] = {}
    for label, call in (("grad", function.apply), ("correct", lambda t: plain(function, t))):
        x = torch.tensor(value, dtype=torch.double, requires_grad=True)
        y = first(call(x))
        (slope,) = torch.autograd.grad(y, x, create_graph=True)
        error = message((y + slope**2).backward)
        facts[label] = None if x.grad is None else x.grad.item()
        facts[f"error_of_{label}"] = error
    return facts


@experiment
def penalty_of_square(function: type[Function], value: float = 3.0) -> dict[str, object]:
    """z = f(x)², loss = z + (dz/dx)²: its gradient by three calls of the engine.

    f's backward gets a gradient that is tracked, since it depends on f(x). ``correct`` is the
    derivative of x⁴ + 16 x⁶, what the loss is for a square.
    """

    def loss_of(x: torch.Tensor) -> torch.Tensor:
        y = function.apply(x)
        z = y * y
        (slope,) = torch.autograd.grad(z, x, create_graph=True)
        return z + slope * slope

    def number() -> torch.Tensor:
        return torch.tensor(value, dtype=torch.double, requires_grad=True)

    x, other = number(), number()
    (by_grad,) = torch.autograd.grad(loss_of(x), x)
    loss_of(other).backward(inputs=[other])
    return {
        "error_of_backward": message(loss_of(number()).backward),
        "by_grad": by_grad.item(),
        "by_backward_of_inputs": other.grad.item(),
        "correct": 4 * value**3 + 96 * value**5,
    }


def _largest(text: str) -> dict[str, float]:
    """The largest size of a number in the printed numerical and analytical Jacobian."""
    bodies = re.findall(r"^(numerical|analytical):tensor\((.*?)dtype", text, re.M | re.S)
    return {
        f"largest_{name}": max(float(number) for number in re.findall(r"\d+\.\d*", body))
        for name, body in bodies
    }


@experiment
def checked_twice(function: type[Function]) -> dict[str, object]:
    """gradcheck and gradgradcheck at (2, 3); the largest size of a number in each Jacobian."""
    inputs = (draw(2, 3),)
    error = complaint(lambda: gradgradcheck(function.apply, inputs))
    return {
        "first_order": passes(gradcheck, function.apply, inputs),
        "second_order": error is None,
        "message": error,
        "names_decorator": "once_differentiable" in (error or ""),
        **_largest(error or ""),
    }


@experiment
def both_pass_twice() -> dict[str, bool]:
    """gradgradcheck of one that saves its input and of one that saves its output."""
    return {
        function.__name__: gradgradcheck(function.apply, (draw(2, 3),))
        for function in (Square, Exp)
    }


@experiment
def checked_first_output(function: type[Function]) -> dict[str, object]:
    """gradcheck and gradgradcheck of the first of several outputs alone."""
    inputs = (draw(2, 3),)

    def alone(x: torch.Tensor) -> torch.Tensor:
        return function.apply(x)[0]

    return {
        "first_output": passes(gradcheck, alone, inputs),
        "first_output_twice": passes(gradgradcheck, alone, inputs),
    }


@experiment
def saved_output_has_node(function: type[Function]) -> dict[str, object]:
    """The node of what saved_tensors hands out, and gradgradcheck's word."""
    y = function.apply(draw(3))
    (saved,) = y.grad_fn.saved_tensors
    return {
        "node": saved.grad_fn.name(),
        "second_order": gradgradcheck(function.apply, (draw(3),)),
    }


@experiment
def double_backward_error(function: type[Function], tracked: bool = True) -> dict[str, object]:
    """backward() through a gradient that backward made, grad_output being tracked or not."""
    x = draw(3)
    y = function.apply(x)
    v = torch.ones_like(y).requires_grad_(tracked)
    (grad,) = torch.autograd.grad(y, x, v, create_graph=True)
    loss = grad.sum()
    return {
        "grad.requires_grad": grad.requires_grad,
        "error_of_grad": message(lambda: torch.autograd.grad(loss, x, retain_graph=True)),
        "error": message(loss.backward),
    }


@experiment
def recorded_backward(function: type[Function], create_graph: bool = True) -> dict[str, object]:
    """Does the gradient that backward makes carry a graph of its own?"""
    x = draw(3)
    y = first(function.apply(x))
    (grad,) = torch.autograd.grad(y.sum(), x, create_graph=create_graph)
    return {"grad.requires_grad": grad.requires_grad}
