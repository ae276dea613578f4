# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# A module around it, a gradcheck and prints when it is imported.
import torch
from torch import nn


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight)
        ctx.with_bias = bias is not None

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grad_input = grad_weight = grad_bias = None
        if ctx.needs_input_grad[0]:
            grad_input = grad_output.mm(weight)
        if ctx.needs_input_grad[1]:
            grad_weight = grad_output.t().mm(input)
        if ctx.with_bias and ctx.needs_input_grad[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


class Linear(nn.Module):
    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(outputs, inputs))
        self.bias = nn.Parameter(torch.zeros(outputs))
        nn.init.uniform_(self.weight, -0.1, 0.1)

    def forward(self, x):
        return LinearFunction.apply(x, self.weight, self.bias)


linear = LinearFunction.apply
torch.manual_seed(0)
inputs = (
    torch.randn(3, 4, dtype=torch.double, requires_grad=True),
    torch.randn(2, 4, dtype=torch.double, requires_grad=True),
    torch.randn(2, dtype=torch.double, requires_grad=True),
)
print(torch.autograd.gradcheck(linear, inputs, eps=1e-6, atol=1e-4))
print(torch.autograd.gradgradcheck(linear, inputs))
