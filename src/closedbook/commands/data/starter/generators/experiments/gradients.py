"""Experiments: functions that return a flat dict of observed facts."""

import torch

from closedbook import experiment


@experiment
def gradient_at(function: type[torch.autograd.Function], value: float = 3.0) -> dict[str, float]:
    """The gradient that the Function gives at `value`, and the right one by other means."""
    x = torch.tensor(value, dtype=torch.double, requires_grad=True)
    (grad,) = torch.autograd.grad(function.apply(x), x)
    # The control: autograd on the plain formula, without any Function of this bank.
    (correct,) = torch.autograd.grad(x * x, x)
    return {"grad": grad.item(), "correct": correct.item()}
