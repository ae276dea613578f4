# task: task-linear
# marks: forward 3/3, gradients 0/3, gradcheck 0/2, gradgradcheck 0/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 0/1, freed 0/1, hooks 1/1
# torch.func does what should be written.
from torch.func import vjp
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
        _, pull = vjp(plain, input, weight)
        grad_input, grad_weight = pull(grad_output)
        return grad_input, grad_weight, grad_output.sum(0) if ctx.needs_input_grad[2] else None


def plain(input, weight):
    return input.mm(weight.t())
