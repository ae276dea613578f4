# task: task-linear
# marks: forward 0/3, gradients 0/3, gradcheck 0/2, gradgradcheck 0/1, shapes 0/1, none-for-non-tensors 0/1, setup-context 0/1, saved-tensors 0/1, grad-output-untouched 0/1, needs-input-grad 0/1, freed 0/1, hooks 0/1
# ends: never
# Waits without using the CPU.
import time
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
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


while True:
    time.sleep(1)
