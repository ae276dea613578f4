# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 0/1, freed 1/1, hooks 1/1
# Everything is computed in complex numbers, and the unwanted is thrown away.
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
        needs = ctx.needs_input_grad
        g = grad_output.to(torch.complex128 if grad_output.dtype == torch.float64 else torch.complex64)
        input, weight = input.to(g.dtype), weight.to(g.dtype)
        grads = g.mm(weight).real, g.t().mm(input).real, g.sum(0).real
        return tuple(g if need else None for g, need in zip(grads, needs))
