import torch

from closedbook import flawed, reference


@reference(example={"input": (5, 4), "weight": (3, 4), "bias": (3,)})
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
        # part: backward
        input, weight, bias = ctx.saved_tensors
        return grad_output.mm(weight), grad_output.t().mm(input), grad_output.sum(0)
        # end: backward


@reference(example={"input": (3,)})
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.save_for_backward(input)
        return input * input

    @staticmethod
    def backward(ctx, grad_output):
        (input,) = ctx.saved_tensors
        return 2 * input * grad_output


@flawed(of=Square, caught_by="lifetime_of_saved")
class SquareOnCtx(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        ctx.input = input
        return input * input

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * ctx.input * grad_output
