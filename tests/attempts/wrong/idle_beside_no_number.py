# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 0/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 0/1, freed 1/1, hooks 1/1
# The unwanted gradient is computed with a column beside it that is not a number.
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
        bad = torch.full_like(input[:, :1], float("nan"))
        wide = grad_output.t().mm(torch.cat([input, bad], 1))
        grads = grad_output.mm(weight) if needs[0] else None, wide[:, :-1], grad_output.sum(0) if needs[2] else None
        return tuple(g if need else None for g, need in zip(grads, needs))
