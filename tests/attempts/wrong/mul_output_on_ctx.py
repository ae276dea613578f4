# task: task-mul
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 0/1, grad-output-untouched 1/1, freed 0/1
# Keeps the output on ctx, and divides.
import torch


class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.tensor, ctx.constant = inputs
        ctx.output = output

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None
