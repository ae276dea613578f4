# task: task-linear
# marks: forward 3/3, gradients 0/3, gradcheck 0/2, gradgradcheck 0/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 0/1, freed 1/1, hooks 1/1
# Tensor.backward called as a function of the class.
from torch import nn
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        x, w = (nn.Parameter(t) for t in (input, weight))
        with torch.enable_grad():
            torch.Tensor.backward(x.mm(w.t()), grad_output)
        return x.grad, w.grad, grad_output.sum(0) if ctx.needs_input_grad[2] else None
