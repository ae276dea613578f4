# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# What every gradient needs is worked out once, before any is asked for.
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
        g = grad_output * 1.0
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = g.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = g.t().mm(input)
        if ctx.needs_input_grad[2]:
            grad_bias = g.sum(0)
        return grad_input, grad_weight, grad_bias
