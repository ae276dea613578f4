# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Works with transposed copies and batches of matrices.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        turned = weight.transpose(0, 1).contiguous()
        product = torch.bmm(input.unsqueeze(0), turned.unsqueeze(0)).squeeze(0)
        if bias is None:
            return product
        return product + bias.expand_as(product)

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, _bias = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        g = grad_output.contiguous().clone()
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = torch.matmul(weight.t(), g.t()).t()
        if ctx.needs_input_grad[1]:
            grad_weight = torch.tensordot(g, input, dims=([0], [0]))
        if ctx.needs_input_grad[2]:
            grad_bias = torch.einsum("no->o", g)
        return grad_input, grad_weight, grad_bias
