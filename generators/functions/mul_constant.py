"""A tensor times a plain number, in both styles."""

from torch.autograd import Function

from closedbook import reference


@reference(example={"tensor": (2, 3), "constant": 5.0})
class MulConstant(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.constant = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None


@reference(example={"tensor": (2, 3), "constant": 5.0})
class MulConstantCombined(Function):
    @staticmethod
    def forward(ctx, tensor, constant):
        ctx.constant = constant
        return tensor * constant

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None
