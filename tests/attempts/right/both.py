# task: task-both
# marks: LinearFunction forward 1.5/1.5, LinearFunction gradients 1.5/1.5, LinearFunction gradcheck 1/1, LinearFunction saved-tensors 0.5/0.5, MulConstant forward 1.5/1.5, MulConstant gradients 1.5/1.5, MulConstant gradcheck 1/1, MulConstant saved-tensors 0.5/0.5
# Two Functions in one file, for a task that asks for two.
import torch


class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(tensor, constant):
        return constant * tensor

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.constant = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return ctx.constant * grad_output, None


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grad_input = grad_output.mm(weight) if ctx.needs_input_grad[0] else None
        grad_weight = grad_output.t().mm(input) if ctx.needs_input_grad[1] else None
        grad_bias = grad_output.sum(0) if ctx.needs_input_grad[2] else None
        return grad_input, grad_weight, grad_bias
