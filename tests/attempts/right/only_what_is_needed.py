# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Saves each tensor only where the other's gradient is asked for.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        out = input.mm(weight.t())
        return out if bias is None else out + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        wants_input, wants_weight, _ = ctx.needs_input_grad
        ctx.save_for_backward(input if wants_weight else None, weight if wants_input else None)

    @staticmethod
    def backward(ctx, g):
        input, weight = ctx.saved_tensors
        return (
            g.mm(weight) if ctx.needs_input_grad[0] else None,
            g.t().mm(input) if ctx.needs_input_grad[1] else None,
            g.sum(0) if ctx.needs_input_grad[2] else None,
        )
