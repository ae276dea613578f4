# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 0/1, hooks 1/1
# Right, but the numbers of every input are kept for ever.
import torch
KEPT = []


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight)
        KEPT.append(input.tolist())

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        needs = ctx.needs_input_grad
        grad_input = grad_output.mm(weight) if needs[0] else None
        grad_weight = grad_output.t().mm(input) if needs[1] else None
        grad_bias = grad_output.sum(0) if needs[2] else None
        return grad_input, grad_weight, grad_bias
