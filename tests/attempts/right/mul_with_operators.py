# task: task-mul
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, freed 1/1
# The operator module, and a constant by keyword in the context.
import operator

import torch


class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(tensor, constant):
        return operator.mul(tensor, constant)

    @staticmethod
    def setup_context(ctx, inputs, output):
        *_, ctx.constant = inputs

    @staticmethod
    def backward(ctx, *grad_outputs):
        return *(operator.mul(grad, ctx.constant) for grad in grad_outputs), None
