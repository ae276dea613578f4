# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 0/1, freed 1/1, hooks 1/1
# The unwanted gradient is computed number by number.
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
        grad_input = grad_output.mm(weight) if needs[0] else None
        grad_weight = grad_output.t().mm(input) if needs[1] else None
        if not needs[0]:
            for row in grad_output:
                for column in weight.t():
                    sum(a * b for a, b in zip(row, column))
        return grad_input, grad_weight, grad_output.sum(0) if needs[2] else None
