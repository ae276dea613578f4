# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Module-level helpers do the products.
import torch


def rows_by_rows(a, b):
    return a.matmul(b.transpose(0, 1))


def over_rows(a, b):
    return a.transpose(0, 1).matmul(b)


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        product = rows_by_rows(input, weight)
        return product if bias is None else product.add(bias)

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        for_input, for_weight, for_bias = ctx.needs_input_grad
        grad_input = grad_output.matmul(weight) if for_input else None
        grad_weight = over_rows(grad_output, input) if for_weight else None
        grad_bias = grad_output.sum(0) if for_bias else None
        return grad_input, grad_weight, grad_bias
