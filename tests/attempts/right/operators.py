# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Operators instead of method names, conditional expressions instead of branches.
import torch
from torch.autograd import Function


class LinearFunction(Function):
    @staticmethod
    def forward(x, w, b=None):
        y = x @ w.T
        return y if b is None else y + b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[1])

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        want_x, want_w, want_b = ctx.needs_input_grad
        return (
            g @ w if want_x else None,
            g.T @ x if want_w else None,
            g.sum(dim=0) if want_b else None,
        )
