# task: task-linear-either
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, shapes 1/1, saved-tensors 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Marked as differentiable once, where a task asks for no more.
import torch
from torch.autograd.function import Function, once_differentiable


class LinearFunction(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight, bias)
        out = input.mm(weight.t())
        if bias is not None:
            out += bias.unsqueeze(0).expand_as(out)
        return out

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        return (
            grad_output.mm(weight) if ctx.needs_input_grad[0] else None,
            grad_output.t().mm(input) if ctx.needs_input_grad[1] else None,
            grad_output.sum(0) if bias is not None and ctx.needs_input_grad[2] else None,
        )
