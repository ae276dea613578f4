# task: task-mul
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, freed 1/1
# MulConstant with undefined gradients kept undefined.
import torch


class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(tensor, constant):
        return torch.mul(tensor, constant)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.factor = float(inputs[1])
        ctx.set_materialize_grads(False)

    @staticmethod
    def backward(ctx, grad_output):
        if grad_output is None:
            return None, None
        return torch.mul(grad_output, ctx.factor), None
