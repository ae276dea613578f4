# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# A match statement decides what is left out.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        match bias:
            case None:
                return input @ weight.mT
            case _:
                return input @ weight.mT + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        match inputs:
            case (input, weight, bias):
                ctx.save_for_backward(input, weight)
                ctx.has_bias = bias is not None

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        result = [None, None, None]
        for place, needed in enumerate(ctx.needs_input_grad):
            match place, needed:
                case 0, True:
                    result[place] = grad_output @ weight
                case 1, True:
                    result[place] = grad_output.mT @ input
                case 2, True if ctx.has_bias:
                    result[place] = grad_output.sum(dim=0)
        return tuple(result)
