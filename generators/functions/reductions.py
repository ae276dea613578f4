"""Functions that sum over a dimension: softmax, log-softmax, mean."""

from torch.autograd import Function

from closedbook import reference


@reference(example={"x": (3, 4)})
class Softmax(Function):
    @staticmethod
    def forward(x):
        return x.softmax(1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        gy = grad_output * y
        return gy - y * gy.sum(1, keepdim=True)


@reference(example={"x": (3, 4)})
class LogSoftmax(Function):
    @staticmethod
    def forward(x):
        shifted = x - x.amax(1, keepdim=True)
        total = shifted.exp().sum(1, keepdim=True)
        return shifted - total.log()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        total = grad_output.sum(1, keepdim=True)
        return grad_output - y.exp() * total


@reference(example={"x": (3, 4)})
class Mean(Function):
    @staticmethod
    def forward(x):
        return x.mean()

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.shape = x.shape

    @staticmethod
    def backward(ctx, grad_output):
        n = ctx.shape.numel()
        return (grad_output / n).expand(ctx.shape)


@reference(example={"x": (3, 4)})
class RowSum(Function):
    @staticmethod
    def forward(x):
        return x.sum(1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.shape = x.shape

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.unsqueeze(1).expand(ctx.shape)
