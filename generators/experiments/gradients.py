"""What backward receives, what it returns, and what the engine makes of it."""

from collections.abc import Callable

import torch
from torch.autograd import Function, gradcheck

from closedbook import experiment

from ._tools import (
    complaint,
    draw,
    first,
    message,
    names,
    numbers,
    passes,
    plain,
    sample,
    shape,
    slope,
)


def _pair(function: type[Function], arguments: list[object]) -> dict[str, object]:
    """The gradients by apply and by torch's own backward, by name of argument."""
    wanted = [a for a in arguments if isinstance(a, torch.Tensor)]
    output = first(function.apply(*arguments))
    v = torch.ones_like(output)
    observed = torch.autograd.grad(output, wanted, v, allow_unused=True)
    right = torch.autograd.grad(first(plain(function, *arguments)), wanted, v, allow_unused=True)
    facts: dict[str, object] = {}
    for name, one, other in zip(names(function), observed, right, strict=False):
        facts[f"grad_{name}"] = numbers(one)
        facts[f"correct_{name}"] = numbers(other)
        facts[f"same_{name}"] = one is not None and torch.allclose(one, other)
    return facts


@experiment
def against_autograd(function: type[Function]) -> dict[str, object]:
    """Each gradient beside the one that torch's own backward gives, grad_output being ones."""
    return _pair(function, sample(function))


@experiment
def at_value(function: type[Function], value: float = 1.0) -> dict[str, object]:
    """The gradient of a Function of one number, beside its slope by central differences."""
    x = torch.tensor(value, dtype=torch.double, requires_grad=True)
    (grad,) = torch.autograd.grad(first(function.apply(x)), x)
    return {"grad": round(grad.item(), 6), "correct": slope(function, value)}


@experiment
def zero_bias_grad(
    function: type[Function], rows: int = 1, eps: float = 1e-6, atol: float = 1e-4
) -> dict[str, object]:
    """A linear layer's bias gradient, and gradcheck's word on it (2 features in, 2 out)."""
    input, weight, bias = draw(rows, 2), draw(2, 2), draw(2)
    output = function.apply(input, weight, bias)
    (grad,) = torch.autograd.grad(output.sum(), [bias], allow_unused=True)
    right = torch.ones_like(output).sum(0)

    def check() -> bool:
        return gradcheck(function.apply, (input, weight, bias), eps=eps, atol=atol)

    error = complaint(check)
    return {
        "grad_bias": numbers(grad),
        "correct": numbers(right),
        "passes": error is None,
        "message": error,
    }


@experiment
def zero_bias_unasked(function: type[Function]) -> dict[str, object]:
    """The same check when the bias does not require its gradient."""
    inputs = (draw(1, 2), draw(2, 2), draw(2).detach())
    return {"passes": gradcheck(function.apply, inputs, raise_exception=False)}


@experiment
def shapes_returned(function: type[Function]) -> dict[str, object]:
    """The shape that backward handed back for each argument, and the one that arrived."""
    arguments = sample(function)
    output = first(function.apply(*arguments))
    returned: list[object] = []

    given = function.backward

    def spy(ctx: object, *grads: torch.Tensor) -> object:
        values = given(ctx, *grads)
        several = values if isinstance(values, tuple) else (values,)
        returned.extend(shape(v) for v in several)
        return values

    function.backward = staticmethod(spy)
    try:
        output.backward(torch.ones_like(output))
    finally:
        function.backward = staticmethod(given)
    facts: dict[str, object] = {}
    for name, one, argument in zip(names(function), returned, arguments, strict=False):
        facts[f"returned_{name}"] = one
        facts[f"arrived_{name}"] = shape(argument.grad)
    return facts


@experiment
def values_returned(function: type[Function]) -> dict[str, object]:
    """How many values backward hands back, how many arguments forward has, and the error."""
    arguments = sample(function)
    output = first(function.apply(*arguments))
    values = function.backward(output.grad_fn, torch.ones_like(output))
    error = message(lambda: output.backward(torch.ones_like(output)))
    return {
        "returned": len(values) if isinstance(values, tuple) else 1,
        "arguments": len(arguments),
        "error": error,
    }


@experiment
def square_weight(function: type[Function], size: int = 2) -> dict[str, object]:
    """A linear layer with as many features out as in: its weight gradient."""
    input = torch.arange(1.0, 1 + 3 * size, dtype=torch.double).reshape(3, size)
    weight = draw(size, size)
    output = function.apply(input, weight)
    v = torch.zeros_like(output)
    v[0, 0] = 1
    (grad,) = torch.autograd.grad(output, [weight], v)
    (right,) = torch.autograd.grad(input.mm(weight.t()), [weight], v)
    error = complaint(lambda: gradcheck(function.apply, (input, weight)))
    return {
        "grad_weight": numbers(grad),
        "correct": numbers(right),
        "gradcheck_passes": error is None,
    }


@experiment
def one_feature(function: type[Function], features: int = 1) -> dict[str, object]:
    """A linear layer with so many features out: the error of its backward."""
    output = function.apply(draw(5, 4), draw(features, 4), draw(features))
    return {"error": message(lambda: output.backward(torch.ones_like(output)))}


@experiment
def square_batch(function: type[Function], rows: int = 2, columns: int = 2) -> dict[str, object]:
    """A function of rows at zero, with a gradient of 1 for the first element: what arrives?"""
    x = torch.zeros(rows, columns, dtype=torch.double, requires_grad=True)
    v = torch.zeros(rows, columns, dtype=torch.double)
    v[0, 0] = 1
    (right,) = torch.autograd.grad(plain(function, x), x, v)
    output = function.apply(x)
    error = message(lambda: output.backward(v))
    return {
        "incoming": numbers(v),
        "error": error,
        "grad": numbers(x.grad),
        "correct": numbers(right),
    }


@experiment
def shared_gradient(
    function: type[Function], value: float = 1.0, constant: float = 3.0
) -> dict[str, object]:
    """h + f(h) with f = constant times h: the gradient at h's source; and gradcheck's word."""
    x = torch.tensor([value], dtype=torch.double, requires_grad=True)
    h = x * 1
    z = h + function.apply(h, constant)
    z.backward(torch.ones_like(z))
    y = torch.tensor([value], dtype=torch.double, requires_grad=True)
    (right,) = torch.autograd.grad(y + constant * y, y, torch.ones_like(y))

    def alone(t: torch.Tensor) -> torch.Tensor:
        return function.apply(t, constant)

    def residual(t: torch.Tensor) -> torch.Tensor:
        return t + function.apply(t, constant)

    inputs = (draw(2),)
    return {
        "grad": x.grad.item(),
        "correct": right.item(),
        "gradcheck_alone": passes(gradcheck, alone, inputs),
        "gradcheck_fast": passes(gradcheck, alone, inputs, fast_mode=True),
        "gradcheck_residual": passes(gradcheck, residual, inputs),
    }


def _number() -> torch.Tensor:
    return torch.ones(1, dtype=torch.double, requires_grad=True)


@experiment
def order_of_consumers(function: type[Function], constant: float = 3.0) -> dict[str, object]:
    """z = x + y with x = f(a) and y = b * 1: b's gradient, x being served first, or last."""

    def grad_of_b(call: Callable[..., torch.Tensor], first_x: bool) -> float:
        a, b = _number(), _number()
        if first_x:
            y = b * 1
            x = call(a, constant)
        else:
            x = call(a, constant)
            y = b * 1
        z = x + y
        z.backward(torch.ones_like(z))
        return b.grad.item()

    return {
        "other_if_served_later": grad_of_b(function.apply, first_x=True),
        "other_if_served_before": grad_of_b(function.apply, first_x=False),
        "correct": grad_of_b(torch.mul, first_x=True),
    }


@experiment
def kept_by_a_reader(function: type[Function], constant: float = 3.0) -> dict[str, object]:
    """z = f(a) + y, y made last and so served first: what became of the gradient that it read?

    A product makes a tensor of its own from it, autograd.grad hands it out as it is, and a sum
    passes it on as it is.
    """

    def by_product() -> float:
        a, b = _number(), _number()
        x = function.apply(a, constant)
        z = x + b * 1
        z.backward(torch.ones_like(z))
        return b.grad.item()

    def by_grad(call: Callable[..., torch.Tensor]) -> float:
        a, b = _number(), _number()
        x = call(a, constant)
        y = b * 1
        z = x + y
        _, of_y = torch.autograd.grad(z, [a, y], torch.ones_like(z))
        return of_y.item()

    def by_sum() -> float:
        a, b, c = _number(), _number(), _number()
        first, second = b * 1, c * 1
        x = function.apply(a, constant)
        y = first + second
        z = x + y
        z.backward(torch.ones_like(z))
        return b.grad.item()

    return {
        "by_product": by_product(),
        "by_grad": by_grad(function.apply),
        "by_sum": by_sum(),
        "correct": by_grad(torch.mul),
    }


@experiment
def leaf_beside(function: type[Function], constant: float = 3.0) -> dict[str, float]:
    """z = f(a) + y with a leaf y, or with y = b * 1 made before f: y's gradient.

    ``leaf_by_grad`` is what autograd.grad returns for the leaf.
    """

    def grad_of(make: Callable[[torch.Tensor], torch.Tensor]) -> float:
        b = _number()
        y = make(b)
        z = function.apply(_number(), constant) + y
        z.backward(torch.ones_like(z))
        return b.grad.item()

    def by_grad(call: Callable[..., torch.Tensor]) -> float:
        a, y = _number(), _number()
        z = call(a, constant) + y
        _, of_y = torch.autograd.grad(z, [a, y], torch.ones_like(z))
        return of_y.item()

    return {
        "leaf": grad_of(lambda b: b),
        "product": grad_of(lambda b: b * 1),
        "leaf_by_grad": by_grad(function.apply),
        "correct": by_grad(torch.mul),
    }


@experiment
def callers_gradient(function: type[Function], constant: float = 3.0) -> dict[str, object]:
    """backward(v): the caller's own v, before and after."""
    x = draw(2)
    y = function.apply(x, constant)
    v = torch.ones_like(y)
    version, given = v._version, v.tolist()
    y.backward(v)
    return {"v": v.tolist(), "edits": v._version - version, "correct": given}


@experiment
def gradient_of_sum(function: type[Function], constant: float = 3.0) -> dict[str, object]:
    """The same Function below a sum: its error, and the strides of the gradient it gets."""
    x = draw(2, 3)
    y = function.apply(x, constant)
    strides: list[tuple[int, ...]] = []
    y.register_hook(lambda g: strides.append(g.stride()))
    error = message(lambda: y.sum().backward())
    return {"strides": strides[0], "error": error}


@experiment
def scaled_gradient(function: type[Function], times: float = 2.0) -> dict[str, object]:
    """backward of v and of times v: a backward is linear in what it receives."""
    x = torch.tensor([1.0, 2.0], dtype=torch.double, requires_grad=True)
    y = function.apply(x)
    v = torch.ones_like(y)
    (once,) = torch.autograd.grad(y, x, v, retain_graph=True)
    (scaled,) = torch.autograd.grad(y, x, times * v)
    slow = complaint(lambda: gradcheck(function.apply, (draw(3),)))
    fast = complaint(lambda: gradcheck(function.apply, (draw(3),), fast_mode=True))
    lone = complaint(lambda: gradcheck(function.apply, (draw(1),), fast_mode=True))
    return {
        "of_v": once.tolist(),
        "of_scaled_v": scaled.tolist(),
        "correct": (times * 2 * x.detach()).tolist(),
        "gradcheck_passes": slow is None,
        "gradcheck_fast_passes": fast is None,
        "gradcheck_fast_of_one_passes": lone is None,
    }


@experiment
def transposed_gradient(function: type[Function]) -> dict[str, object]:
    """The output is transposed, then multiplied or not, and summed: the errors of backward.

    Beside each the strides of the gradient that came in, and gradcheck's word on the Function.
    """
    w = torch.arange(6.0, dtype=torch.double).reshape(3, 2)

    def run(use: Callable[[torch.Tensor], torch.Tensor]) -> tuple[object, object, object]:
        x = draw(6)
        y = function.apply(x)
        strides: list[tuple[int, ...]] = []
        y.register_hook(lambda g: strides.append(g.stride()))
        error = message(lambda: use(y).sum().backward())
        return strides[0], error, numbers(x.grad)

    strides, error, grad = run(lambda y: y.t() * w)
    strides_of_sum, error_of_sum, _ = run(lambda y: y.t())
    return {
        "strides": strides,
        "error": error,
        "grad": grad,
        "strides_of_sum": strides_of_sum,
        "error_of_sum": error_of_sum,
        "gradcheck_passes": passes(gradcheck, function.apply, (draw(6),)),
    }


@experiment
def tensor_constant(function: type[Function], value: float = 5.0) -> dict[str, object]:
    """The constant is a tensor that requires its gradient: what arrives at it?"""
    tensor = torch.tensor([1.0, 2.0], dtype=torch.double, requires_grad=True)
    constant = torch.tensor(value, dtype=torch.double, requires_grad=True)
    output = function.apply(tensor, constant)
    error = message(lambda: output.backward(torch.ones_like(output)))
    other = torch.tensor(value, dtype=torch.double, requires_grad=True)
    (right,) = torch.autograd.grad((tensor * other).sum(), other)
    return {
        "error": error,
        "grad_constant": numbers(constant.grad),
        "correct": right.item(),
        "gradcheck_passes": complaint(lambda: gradcheck(function.apply, (draw(2), draw()))) is None,
    }


@experiment
def gradient_dtype() -> dict[str, object]:
    """backward hands back half precision for a float32 input: what arrives, and is it said?"""

    class Half(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad_output):
            return (grad_output * 1.0001).to(torch.float16)

    class Single(Half):
        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 1.0001

    x, other = (torch.ones(1, requires_grad=True) for _ in range(2))
    error = message(lambda: Half.apply(x).sum().backward())
    Single.apply(other).sum().backward()
    return {
        "error": error,
        "dtype": str(x.grad.dtype).removeprefix("torch."),
        "grad": x.grad.item(),
        "correct": round(other.grad.item(), 6),
    }
