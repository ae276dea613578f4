# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# A dataclass on ctx holds what is no tensor.
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx


@dataclass(frozen=True)
class Layout:
    """What backward has to know of the call besides its tensors."""

    rows: int
    with_bias: bool = False


class LinearFunction(torch.autograd.Function):
    """y = x Wᵀ + b"""

    @staticmethod
    def forward(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
        y = input.matmul(weight.t())
        return y if bias is None else y.add(bias)

    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs: tuple, output: Tensor) -> None:
        input, weight, bias = inputs
        ctx.layout = Layout(rows=input.shape[0], with_bias=bias is not None)
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output: Tensor):
        input, weight = ctx.saved_tensors
        assert grad_output.shape[0] == ctx.layout.rows
        gx = gw = gb = None
        if ctx.needs_input_grad[0]:
            gx = grad_output.matmul(weight)
        if ctx.needs_input_grad[1]:
            gw = grad_output.t().matmul(input)
        if ctx.layout.with_bias and ctx.needs_input_grad[2]:
            gb = grad_output.new_ones(ctx.layout.rows).matmul(grad_output)
        return gx, gw, gb
