# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Checks its arguments and its gradients at every step.
import torch
from torch.autograd import Function


def check(tensor, *shape):
    """Raise where a tensor is not of this shape, or not finite."""
    assert tuple(tensor.shape) == shape, f"{tuple(tensor.shape)} is not {shape}"
    assert bool(torch.isfinite(tensor).all()), "not finite"
    return tensor


class LinearFunction(Function):
    @staticmethod
    def forward(input, weight, bias=None):
        (n, i), (o, i2) = input.shape, weight.shape
        assert i == i2
        output = input.mm(weight.t())
        if bias is not None:
            output = output + check(bias, o)
        return check(output, n, o)

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, _ = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        check(grad_output, input.shape[0], weight.shape[0])
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = check(grad_output.mm(weight), *input.shape)
        if ctx.needs_input_grad[1]:
            grad_weight = check(grad_output.t().mm(input), *weight.shape)
        if ctx.needs_input_grad[2]:
            grad_bias = check(grad_output.sum(0), weight.shape[0])
        return grad_input, grad_weight, grad_bias
