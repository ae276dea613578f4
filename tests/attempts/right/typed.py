# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Annotations that are never evaluated, docstrings, Optional.
"""A linear layer with its gradients written by hand."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch import Tensor


class LinearFunction(torch.autograd.Function):
    """y = x Wᵀ + b."""

    @staticmethod
    def forward(input: Tensor, weight: Tensor, bias: Optional[Tensor] = None) -> Tensor:
        """Rows of input times rows of weight."""
        output: Tensor = torch.mm(input, weight.t())
        if bias is not None:
            output = output + bias
        return output

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Tensor, Tensor, Optional[Tensor]], output: Tensor) -> None:
        ctx.save_for_backward(*inputs[:2])

    @staticmethod
    def backward(ctx: Any, grad_output: Tensor) -> tuple[Optional[Tensor], ...]:
        input, weight = ctx.saved_tensors
        grads: list[Optional[Tensor]] = [None, None, None]
        if ctx.needs_input_grad[0]:
            grads[0] = torch.mm(grad_output, weight)
        if ctx.needs_input_grad[1]:
            grads[1] = torch.mm(grad_output.t(), input)
        if ctx.needs_input_grad[2]:
            grads[2] = torch.sum(grad_output, dim=0)
        return tuple(grads)
