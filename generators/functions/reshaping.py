"""A change of shape alone."""

from torch.autograd import Function

from closedbook import reference


@reference(example={"x": (6,)})
class Fold(Function):
    @staticmethod
    def forward(x):
        return x.reshape(2, 3)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.reshape(6)
