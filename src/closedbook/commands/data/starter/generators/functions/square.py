"""A reference, and a Function that is wrong on purpose.

This is ordinary Python, and the only code of a bank that is run: who reviews a change here must
read it. `cards verify` runs gradcheck on every reference before it looks at any card.
"""

import torch

from closedbook import flawed, reference


@reference(example={"input": (2, 3)}, double_backward=True)
class Square(torch.autograd.Function):
    @staticmethod
    def forward(input):
        return input * input

    @staticmethod
    def setup_context(ctx, inputs, output):
        (input,) = inputs
        ctx.save_for_backward(input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return 2 * input * grad_output


@flawed(of=Square, caught_by="gradient_at")
class SquareWithoutFactor(torch.autograd.Function):
    @staticmethod
    def forward(input):
        return input * input

    @staticmethod
    def setup_context(ctx, inputs, output):
        (input,) = inputs
        ctx.save_for_backward(input)

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return input * grad_output
