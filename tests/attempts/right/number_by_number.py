# task: task-linear-either
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, shapes 1/1, saved-tensors 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Loops over numbers, written into tensors one by one.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        rows, columns, inner = input.shape[0], weight.shape[0], weight.shape[1]
        output = torch.zeros(rows, columns, dtype=input.dtype)
        for n in range(rows):
            for o in range(columns):
                for i in range(inner):
                    output[n, o] += input[n, i] * weight[o, i]
                if bias is not None:
                    output[n, o] += bias[o]
        return output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        want_input, want_weight, want_bias = ctx.needs_input_grad
        grad_input = torch.zeros_like(input) if want_input else None
        grad_weight = torch.zeros_like(weight) if want_weight else None
        grad_bias = torch.zeros_like(bias) if want_bias else None
        for n in range(input.shape[0]):
            for o in range(weight.shape[0]):
                g = grad_output[n, o]
                for i in range(weight.shape[1]):
                    if want_input:
                        grad_input[n, i] += g * weight[o, i]
                    if want_weight:
                        grad_weight[o, i] += g * input[n, i]
                if want_bias:
                    grad_bias[o] += g
        return grad_input, grad_weight, grad_bias
