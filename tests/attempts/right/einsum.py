# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Index notation throughout.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        out = torch.einsum("ni,oi->no", input, weight)
        return out if bias is None else out + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, _ = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad):
        input, weight = ctx.saved_tensors
        gi = torch.einsum("no,oi->ni", grad, weight) if ctx.needs_input_grad[0] else None
        gw = torch.einsum("no,ni->oi", grad, input) if ctx.needs_input_grad[1] else None
        gb = torch.einsum("no->o", grad) if ctx.needs_input_grad[2] else None
        return gi, gw, gb
