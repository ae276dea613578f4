# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# addmm where there is a bias.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        if bias is None:
            return torch.mm(input, weight.t())
        return torch.addmm(bias, input, weight.t())

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        needs = ctx.needs_input_grad
        grad_input = torch.mm(grad_output, weight) if needs[0] else None
        grad_weight = torch.mm(grad_output.t(), input) if needs[1] else None
        grad_bias = torch.mv(grad_output.t(), grad_output.new_ones(len(grad_output))) if needs[2] else None
        return grad_input, grad_weight, grad_bias
