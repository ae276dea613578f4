"""Operations whose inputs are broadcast: a gradient is summed back to its input's shape."""

from torch.autograd import Function

from closedbook import reference


@reference(example={"a": (3, 4), "b": (4,)})
class BroadcastAdd(Function):
    @staticmethod
    def forward(a, b):
        return a + b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.shapes = [t.shape for t in inputs]

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.shapes
        grad_a = grad_output.sum_to_size(a)
        grad_b = grad_output.sum_to_size(b)
        return grad_a, grad_b


@reference(example={"a": (3, 4), "b": (4,)})
class BroadcastMul(Function):
    @staticmethod
    def forward(a, b):
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        grad_a = (grad_output * b).sum_to_size(a.shape)
        grad_b = (grad_output * a).sum_to_size(b.shape)
        return grad_a, grad_b
