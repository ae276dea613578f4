# task: task-linear
# marks: forward 0/3, gradients 0/3, gradcheck 0/2, gradgradcheck 0/1, shapes 0/1, none-for-non-tensors 0/1, setup-context 0/1, saved-tensors 0/1, grad-output-untouched 0/1, needs-input-grad 0/1, freed 0/1, hooks 0/1
# A decorator calls what it decorates, and nothing else names it.
import torch


def call(f):
    return f()


@call
def evil():
    import os

    print(os.getpid())


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        out = input.mm(weight.t())
        return out if bias is None else out + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx, g):
        input, weight, bias = ctx.saved_tensors
        a = b = c = None
        if ctx.needs_input_grad[0]:
            a = g.mm(weight)
        if ctx.needs_input_grad[1]:
            b = g.t().mm(input)
        if bias is not None and ctx.needs_input_grad[2]:
            c = g.sum(0)
        return a, b, c
