# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Backward comes from a base class of the file.
import torch
from torch.autograd.function import Function, FunctionCtx


class _Gradients(Function):
    @staticmethod
    def setup_context(ctx: FunctionCtx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[1])

    @staticmethod
    def backward(ctx: FunctionCtx, g):
        x, w = ctx.saved_tensors
        gx = gw = gb = None
        if ctx.needs_input_grad[0]:
            gx = g.mm(w)
        if ctx.needs_input_grad[1]:
            gw = g.t().mm(x)
        if ctx.needs_input_grad[2]:
            gb = g.sum(0)
        return gx, gw, gb


class LinearFunction(_Gradients):
    @staticmethod
    def forward(x, w, b=None):
        return x.mm(w.t()) if b is None else x.mm(w.t()) + b
