# task: task-linear-given-bias
# marks: forward 3/3, gradients 0/3, gradcheck 0/2, gradgradcheck 0/1, needs-input-grad 0/1, freed 1/1
# Backward runs forward again and asks autograd.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        with torch.enable_grad():
            input, weight, bias = (t.detach().requires_grad_() for t in ctx.saved_tensors)
            output = input.mm(weight.t()) + bias
        return torch.autograd.grad(output, (input, weight, bias), grad_output)
