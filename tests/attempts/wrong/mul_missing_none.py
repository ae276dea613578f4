# task: task-mul
# marks: forward 3/3, gradients 0/3, gradcheck 0/2, gradgradcheck 0/1, shapes 0/1, none-for-non-tensors 0/1, setup-context 1/1, saved-tensors 0/1, grad-output-untouched 0/1, freed 0/1
# One value: the constant has no place.
import torch


class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.constant = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant
