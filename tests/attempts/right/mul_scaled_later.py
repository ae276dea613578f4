# task: task-mul
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, freed 1/1
# The constant may be a whole number, and is kept as a pair with its inverse.
import torch
from torch import autograd


class MulConstant(autograd.Function):
    @staticmethod
    def forward(tensor, constant):
        output = torch.empty_like(tensor)
        torch.mul(tensor, constant, out=output)
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        tensor, constant = inputs
        ctx.constants = {"factor": constant, "zero": not constant}

    @staticmethod
    def backward(ctx, grad_output):
        if ctx.constants["zero"]:
            return torch.zeros_like(grad_output), None
        return grad_output.mul(ctx.constants["factor"]), None
