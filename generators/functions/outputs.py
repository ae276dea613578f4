"""Functions whose outputs need a word to autograd: several, integer, or written in place."""

from torch.autograd import Function

from closedbook import reference


@reference(example={"x": (3,)})
class SinCos(Function):
    @staticmethod
    def forward(x):
        return x.sin(), x.cos()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        (x,) = ctx.saved_tensors
        return grad_sin * x.cos() - grad_cos * x.sin()


@reference(example={"x": (3,)})
class SinCosLazy(Function):
    @staticmethod
    def forward(x):
        return x.sin(), x.cos()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_sin, grad_cos):
        (x,) = ctx.saved_tensors
        grad = None
        if grad_sin is not None:
            grad = grad_sin * x.cos()
        if grad_cos is not None:
            part = -grad_cos * x.sin()
            grad = part if grad is None else grad + part
        return grad


@reference(example={"x": (2, 3)})
class RowMax(Function):
    @staticmethod
    def forward(x):
        best = x.max(1)
        return best.values, best.indices

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        _, index = output
        ctx.mark_non_differentiable(index)
        ctx.save_for_backward(index)
        ctx.shape = x.shape

    @staticmethod
    def backward(ctx, grad_values, grad_index):
        (index,) = ctx.saved_tensors
        grad = grad_values.new_zeros(ctx.shape)
        at = index.unsqueeze(1)
        return grad.scatter(1, at, grad_values.unsqueeze(1))
