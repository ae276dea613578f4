# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# The arithmetic stands in static and class methods of another class.
import functools

import torch


class Algebra:
    @staticmethod
    def product(left, right):
        return left @ right

    @classmethod
    def outer(cls, left, right):
        return cls.product(left.t(), right)

    @staticmethod
    def total(tensor):
        return functools.reduce(torch.add, tensor.unbind(0), torch.zeros_like(tensor.sum(0)))


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = Algebra.product(input, weight.t())
        if bias is not None:
            output = output + bias
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        rules = (
            functools.partial(Algebra.product, grad_output, weight),
            functools.partial(Algebra.outer, grad_output, input),
            functools.partial(Algebra.total, grad_output),
        )
        return tuple(rule() if wanted else None for rule, wanted in zip(rules, ctx.needs_input_grad))
