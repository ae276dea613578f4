"""The references of the bank that the grading tests use."""

# ruff: noqa: A001, D101, D102  the names and signatures are torch's own

import torch

from closedbook import reference


class _Gradients(torch.autograd.Function):
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        for_input, for_weight, for_bias = ctx.needs_input_grad
        return (
            grad_output.mm(weight) if for_input else None,
            grad_output.t().mm(input) if for_weight else None,
            grad_output.sum(0) if for_bias else None,
        )


@reference(example={"input": (5, 4), "weight": (3, 4), "bias": (3,)})
class LinearFunction(_Gradients):
    @staticmethod
    def forward(input, weight, bias=None):
        product = input.mm(weight.t())
        return product if bias is None else product + bias


@reference(example={"input": (5, 4), "weight": (3, 4), "bias": (3,)})
class LinearWithBias(_Gradients):
    @staticmethod
    def forward(input, weight, bias):
        return input.mm(weight.t()) + bias


@reference(example={"tensor": (2, 3), "constant": 5.0})
class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.constant = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None
