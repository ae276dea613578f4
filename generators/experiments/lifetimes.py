"""How long what a Function keeps stays in memory."""

import gc

import torch
from torch.autograd import Function

from closedbook import experiment

from ..functions.linear import LinearFunction
from ._tools import draw, message, watch


@experiment
def lifetime_of_saved(function: type[Function]) -> dict[str, str]:
    """When is the memory of a saved input free, if nobody else holds that input?

    ``in_next_backward`` is while the node that made the input runs its own backward.
    """
    facts = {}

    class Before(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad_output):
            facts["saved.in_next_backward"] = state()
            return grad_output

    saved = Before.apply(draw(3))
    output = function.apply(saved)
    state = watch(saved)
    del saved
    facts["saved.after_forward"] = state()
    output.sum().backward()
    facts["saved.after_backward"] = state()
    del output
    facts["saved.after_output_dropped"] = state()
    return facts


@experiment
def lifetime_of_layer() -> dict[str, str]:
    """When are the two tensors that a linear layer saved free, if nobody else holds them?"""
    activation, weight = draw(5, 4) * 1, draw(3, 4) * 1
    output = LinearFunction.apply(activation, weight, draw(3))
    states = {"input": watch(activation), "weight": watch(weight)}
    del activation, weight
    facts = {f"{name}.after_forward": state() for name, state in states.items()}
    output.sum().backward()
    facts |= {f"{name}.after_backward": state() for name, state in states.items()}
    del output
    return facts


@experiment
def lifetime_of_output(function: type[Function]) -> dict[str, str]:
    """Is an output free once its last name is gone, or only after garbage collection?"""
    gc.collect()
    gc.disable()
    try:
        output = function.apply(draw(3))
        state = watch(output)
        del output
        facts = {"output.after_del": state()}
        gc.collect()
        facts["output.after_collect"] = state()
    finally:
        gc.enable()
    return facts


@experiment
def cycle_by_edit(function: type[Function], edit: str = "input") -> dict[str, str]:
    """An edit in place after y = f(h): h.add_(y), or y.mul_(2). Is the memory ever free?

    ``edit`` names what is edited and watched; 'none' watches h without an edit.
    """
    gc.collect()
    gc.disable()
    try:
        h = draw(3) * 1
        y = function.apply(h)
        if edit == "input":
            h.add_(y)
        elif edit == "output":
            y.mul_(2)
        state = watch(y if edit == "output" else h)
        del h, y
        facts = {"after_del": state()}
        gc.collect()
        facts["after_collect"] = state()
    finally:
        gc.enable()
    return facts


@experiment
def kept_losses(function: type[Function], count: int = 10) -> dict[str, int]:
    """A list keeps each step's loss: how many of the inputs stay in memory after backward?"""
    losses, states = [], []
    for _ in range(count):
        hidden = draw(3) * 1
        states.append(watch(hidden))
        losses.append(function.apply(hidden).sum())
        del hidden
        losses[-1].backward()
    alive = sum(state() == "alive" for state in states)
    detached = [loss.item() for loss in losses]
    del losses
    left = sum(state() == "alive" for state in states)
    return {
        "kept": len(detached),
        "alive": alive,
        "alive_with_item": left,
    }


@experiment
def second_backward(function: type[Function], retain: bool = False) -> dict[str, object]:
    """What does a second backward through one graph do to a gradient of ones?"""
    x = torch.ones(2, dtype=torch.double, requires_grad=True)
    arguments = (x, 5.0) if "Mul" in function.__name__ else (x,)
    output = function.apply(*arguments)
    grad_output = torch.ones_like(output)
    output.backward(grad_output, retain_graph=retain)
    once = x.grad.tolist()
    error = message(lambda: output.backward(grad_output))
    return {"once": once, "twice": x.grad.tolist(), "error": error}


@experiment
def read_after_backward(function: type[Function]) -> dict[str, str | None]:
    """What comes of reading saved_tensors of a node whose backward has run?"""
    output = function.apply(draw(3))
    before = message(lambda: output.grad_fn.saved_tensors)
    output.sum().backward()
    after = message(lambda: output.grad_fn.saved_tensors)
    return {"before": before, "after": after}
