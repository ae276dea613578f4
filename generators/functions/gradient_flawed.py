"""Wrong on purpose: gradients that are wrong where few look."""

from torch.autograd import Function

from closedbook import flawed

from .broadcasting import BroadcastAdd
from .outputs import SinCosLazy
from .powers import Square
from .reductions import LogSoftmax, Mean
from .reshaping import Fold


@flawed(of=LogSoftmax, caught_by="square_batch")
class LogSoftmaxFlat(Function):
    @staticmethod
    def forward(x):
        return x.log_softmax(1)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return grad_output - y.exp() * grad_output.sum(1)


@flawed(of=BroadcastAdd, caught_by="shapes_returned")
class BroadcastUnsummed(Function):
    @staticmethod
    def forward(a, b):
        return a + b

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output, grad_output


@flawed(of=Mean, caught_by="against_autograd")
class MeanUnexpanded(Function):
    @staticmethod
    def forward(x):
        return x.mean()

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.n = x.numel()

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output / ctx.n


@flawed(of=Square, caught_by="scaled_gradient")
class SquareSign(Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output.sign()


@flawed(of=Square, caught_by="against_autograd")
class SquareSlightlyOff(Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2.001 * x * grad_output


@flawed(of=Fold, caught_by="transposed_gradient")
class FoldView(Function):
    @staticmethod
    def forward(x):
        return x.reshape(2, 3)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.view(6)


@flawed(of=SinCosLazy, caught_by="both_outputs")
class SinCosOverwritten(Function):
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
            grad = -grad_cos * x.sin()
        return grad
