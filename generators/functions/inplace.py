"""Functions that overwrite their input."""

from torch.autograd import Function

from closedbook import reference


@reference(example={"x": (3,), "factor": 2.0})
class ScaleInPlace(Function):
    @staticmethod
    def forward(x, factor):
        return x.mul_(factor)

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, ctx.factor = inputs
        ctx.mark_dirty(x)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.factor, None
