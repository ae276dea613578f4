"""Which gradients are asked for, and what it saves to ask for fewer."""

import torch
from torch.autograd import Function

from closedbook import experiment

from ._tools import Count, draw, first, numbers, sample


@experiment
def multiplications(function: type[Function], frozen: str = "weight") -> dict[str, int]:
    """Matrix products of a linear layer's backward, one input being frozen ('none': neither)."""
    input, weight = draw(5, 4), draw(3, 4)
    if frozen != "none":
        {"input": input, "weight": weight}[frozen].requires_grad_(False)
    output = function.apply(input, weight)
    with Count(torch.ops.aten.mm.default) as count:
        output.sum().backward()
    return {"products": count.calls}


@experiment
def asked_for(frozen: str = "none", constant: float = 2.0) -> dict[str, object]:
    """needs_input_grad of a Function of two tensors and a number, one tensor being frozen."""
    seen = {}

    class Probe(Function):
        @staticmethod
        def forward(ctx, a, b, constant):
            seen["in_forward"] = str(ctx.needs_input_grad)
            return a * b * constant

        @staticmethod
        def backward(ctx, grad_output):
            seen["in_backward"] = str(ctx.needs_input_grad)
            return None, None, None

    a, b = draw(3), draw(3)
    if frozen != "none":
        {"a": a, "b": b}[frozen].requires_grad_(False)
    Probe.apply(a, b, constant).sum().backward()
    return seen


@experiment
def asked_for_by_grad() -> dict[str, object]:
    """torch.autograd.grad for a alone, b requiring its gradient too: what is asked for?"""
    seen = {}

    class Probe(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * b

        @staticmethod
        def backward(ctx, grad_output):
            seen["asked"] = str(ctx.needs_input_grad)
            return grad_output, grad_output

    a, b = draw(3), draw(3)
    torch.autograd.grad(Probe.apply(a, b).sum(), a)
    return seen


@experiment
def asked_under_no_grad() -> dict[str, object]:
    """apply under no_grad, of an input that requires its gradient."""
    seen = {}

    class Probe(Function):
        @staticmethod
        def forward(ctx, x):
            seen["asked"] = ctx.needs_input_grad[0]
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2

    with torch.no_grad():
        y = Probe.apply(draw(3))
    return {**seen, "output.requires_grad": y.requires_grad}


@experiment
def saved_when_frozen(function: type[Function]) -> dict[str, object]:
    """The weight of a linear layer is frozen: is the input among what is saved?"""
    input, weight = draw(5, 4), draw(3, 4).requires_grad_(False)
    output = function.apply(input, weight)
    saved = output.grad_fn.saved_tensors
    facts = {"saves_input": any(t is input for t in saved), "count": len(saved)}
    if saved[0] is None:
        facts["first"] = None
    return facts


@experiment
def backward_skipped() -> dict[str, object]:
    """No input requires a gradient: is a node made, and is ctx.needs_input_grad all False?"""
    seen = {}

    class Probe(Function):
        @staticmethod
        def forward(ctx, x):
            seen["asked"] = str(ctx.needs_input_grad)
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2

    y = Probe.apply(torch.ones(2))
    return {**seen, "grad_fn": y.grad_fn}


@experiment
def none_for_tensor() -> dict[str, object]:
    """backward gives None for a tensor input, or zeros: its .grad afterwards."""

    class First(Function):
        @staticmethod
        def forward(ctx, a, b, zeros):
            ctx.zeros = zeros
            return a * 1

        @staticmethod
        def backward(ctx, grad_output):
            of_b = torch.zeros_like(grad_output) if ctx.zeros else None
            return grad_output, of_b, None

    def grad_of_b(zeros: bool) -> object:
        a, b = draw(2), draw(2)
        First.apply(a, b, zeros).sum().backward()
        return numbers(b.grad)

    return {"grad": grad_of_b(zeros=False), "grad_of_zeros": grad_of_b(zeros=True)}


@experiment
def step_without_gradient(zeros: bool = False) -> dict[str, bool]:
    """A second step of SGD with momentum, for a gradient of None or of zeros."""
    weight = torch.ones(1, requires_grad=True)
    optimiser = torch.optim.SGD([weight], lr=0.1, momentum=0.9)
    weight.grad = torch.ones(1)
    optimiser.step()
    before = weight.item()
    weight.grad = torch.zeros(1) if zeros else None
    optimiser.step()
    return {"moves": weight.item() != before}


@experiment
def gradient_for_frozen(function: type[Function]) -> dict[str, object]:
    """A gradient is handed back for a frozen weight: error, or dropped?"""
    input, weight = draw(5, 4), draw(3, 4).requires_grad_(False)
    output = function.apply(input, weight)
    returned = function.backward(output.grad_fn, torch.ones_like(output))
    output.sum().backward()
    return {
        "returned": returned[1] is not None,
        "arrived": weight.grad is not None,
    }


@experiment
def saved_shapes(function: type[Function], bias: bool = True) -> dict[str, object]:
    """How many tensors, and how many numbers, a Function saves."""
    arguments = sample(function)
    if not bias:
        arguments.pop()
    output = first(function.apply(*arguments))
    saved = output.grad_fn.saved_tensors
    return {"count": len(saved), "numbers": sum(t.numel() for t in saved)}
