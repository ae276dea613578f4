# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Constants at the top, an enumeration of places, a docstring everywhere.
"""My blank-file attempt.

>>> LinearFunction.apply(torch.ones(1, 2), torch.ones(3, 2)).shape
torch.Size([1, 3])
"""

import math
from typing import Final

import torch

INPUT: Final = 0
WEIGHT: Final = 1
BIAS: Final = 2
__all__ = ["LinearFunction", "linear"]
__version__ = "1.0"


class LinearFunction(torch.autograd.Function):
    """Rows of ``input`` times ``weight`` transposed."""

    arguments = ("input", "weight", "bias")

    @staticmethod
    def forward(input, weight, bias=None):
        """(n, i), (o, i), (o,) -> (n, o)"""
        result = (input[:, None, :] * weight[None, :, :]).sum(-1)
        return result if bias is None else result + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Nothing but what backward reads."""
        ctx.save_for_backward(inputs[INPUT], inputs[WEIGHT])
        ctx.size = math.prod(output.shape)

    @staticmethod
    def backward(ctx, grad_output):
        """Three gradients, in the order of the arguments."""
        input, weight = ctx.saved_tensors
        gradients = [None] * len(LinearFunction.arguments)
        if ctx.needs_input_grad[INPUT]:
            gradients[INPUT] = (grad_output[:, :, None] * weight[None]).sum(1)
        if ctx.needs_input_grad[WEIGHT]:
            gradients[WEIGHT] = (grad_output[:, :, None] * input[:, None, :]).sum(0)
        if ctx.needs_input_grad[BIAS]:
            gradients[BIAS] = grad_output.sum(dim=0)
        return gradients[INPUT], gradients[WEIGHT], gradients[BIAS]


linear = LinearFunction.apply
