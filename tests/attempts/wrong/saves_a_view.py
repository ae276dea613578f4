# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 0/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Saves weight.t(), made with grad off: the second derivative by weight is lost in silence.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        out = input.mm(weight.t())
        return out if bias is None else out + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight.t())

    @staticmethod
    def backward(ctx, g):
        input, turned = ctx.saved_tensors
        a = b = c = None
        if ctx.needs_input_grad[0]:
            a = g.mm(turned.t())
        if ctx.needs_input_grad[1]:
            b = input.t().mm(g).t()
        if ctx.needs_input_grad[2]:
            c = g.sum(0)
        return a, b, c
