# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# setup_context takes its words by name, and stores them in a loop.
import torch


def keep(ctx, *tensors, **flags):
    ctx.save_for_backward(*tensors)
    ctx.flags = flags


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = torch.mm(input, torch.t(weight))
        return torch.add(output, bias) if bias is not None else output

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        keep(ctx, input, weight, bias=bias is not None, shape=tuple(output.shape))

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grads = dict(input=None, weight=None, bias=None)
        if ctx.needs_input_grad[0]:
            grads["input"] = torch.mm(grad_output, weight)
        if ctx.needs_input_grad[1]:
            grads["weight"] = torch.mm(torch.t(grad_output), input)
        if ctx.flags["bias"] and ctx.needs_input_grad[2]:
            grads.update(bias=torch.sum(grad_output, dim=0))
        return tuple(grads.values())
