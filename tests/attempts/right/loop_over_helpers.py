# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Helpers, constants, try and except, and the usual variable names for another thing.
from __future__ import annotations

import torch
from torch import nn

EPS = 1e-6
device = torch.device("cpu")


def grad_wrt_input(g, weight):
    return g.mm(weight)


def grad_wrt_weight(g, input):
    return g.t().mm(input)


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        out = (input[:, None, :] * weight[None, :, :]).sum(-1)
        return out if bias is None else out + bias[None]

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight)
        ctx.has_bias = bias is not None

    @staticmethod
    def backward(ctx, g):
        saved = ctx.saved_tensors
        result = [None] * 3
        for i, f in enumerate((grad_wrt_input, grad_wrt_weight)):
            if ctx.needs_input_grad[i]:
                result[i] = f(g, saved[1 - i])
        if ctx.has_bias and ctx.needs_input_grad[2]:
            result[2] = g.sum(0)
        return tuple(result)


class Layer(nn.Module):
    def __init__(self, n_in, n_out):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_out, n_in))
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, x):
        return LinearFunction.apply(x, self.weight, self.bias)


layer = Layer(4, 2)
try:
    loss = layer(torch.randn(3, 4)).pow(2).mean()
    loss.backward()
    print("%.4f" % loss.item(), {k: v.shape for k, v in layer.named_parameters()})
except RuntimeError as e:
    print("failed:", e)
