# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# A product and a sum instead of a matrix product.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        out = (input.unsqueeze(1) * weight.unsqueeze(0)).sum(-1)
        return out if bias is None else out + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[1])

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        gx = (g.unsqueeze(-1) * w.unsqueeze(0)).sum(1) if ctx.needs_input_grad[0] else None
        gw = (g.unsqueeze(-1) * x.unsqueeze(1)).sum(0) if ctx.needs_input_grad[1] else None
        gb = g.sum(0) if ctx.needs_input_grad[2] else None
        return gx, gw, gb
