# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 0/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 0/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 0/1
# Methods of copies hang on ctx, and the copies with them.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.by_input = input_of(inputs).clone().t().mm
        ctx.by_weight = iter([inputs[1].clone()])
        ctx.save_for_backward(input_of(inputs).sum())

    @staticmethod
    def backward(ctx, grad_output):
        ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(next(ctx.by_weight))
        if ctx.needs_input_grad[1]:
            grad_weight = ctx.by_input(grad_output).t()
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


def input_of(inputs):
    return inputs[0]
