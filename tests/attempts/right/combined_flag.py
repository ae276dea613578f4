# task: task-linear-either
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, shapes 1/1, saved-tensors 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Combined, with plain facts about the inputs on ctx.
import math

import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight)
        ctx.has_bias, ctx.sizes = bias is not None, tuple(input.shape)
        out = input.matmul(weight.mT)
        return out if not ctx.has_bias else out + bias

    @staticmethod
    def backward(ctx, grad):
        input, weight = ctx.saved_tensors
        assert math.prod(ctx.sizes) == input.numel()
        need = ctx.needs_input_grad
        gi = grad.matmul(weight) if need[0] else None
        gw = grad.mT.matmul(input) if need[1] else None
        gb = grad.sum(0) if ctx.has_bias and need[2] else None
        return gi, gw, gb
