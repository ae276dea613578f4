"""Wrong on purpose: what backward needs is kept in the wrong way."""

from torch.autograd import Function

from closedbook import flawed

from .broadcasting import BroadcastMul
from .pointwise import DoubleExp, Exp
from .powers import Cube, CubeRecompute, Square


@flawed(of=Square, caught_by="edit_then_backward")
class SquareOnCtx(Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        (ctx.x,) = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * ctx.x * grad_output


@flawed(of=Exp, caught_by="lifetime_of_output")
class ExpOnCtx(Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.output = output

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.output


@flawed(of=DoubleExp, caught_by="at_value")
class TwiceExp(Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        y.mul_(2)
        return y.clone()

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return grad_output * 2 * y


@flawed(of=BroadcastMul, caught_by="against_autograd")
class ProductSavedTwice(Function):
    @staticmethod
    def forward(a, b):
        return a * b

    @staticmethod
    def setup_context(ctx, inputs, output):
        a, b = inputs
        ctx.save_for_backward(a)
        ctx.save_for_backward(b)

    @staticmethod
    def backward(ctx, grad_output):
        a, b = ctx.saved_tensors
        return grad_output * b, grad_output * a


@flawed(of=CubeRecompute, caught_by="second_order")
class CubeCombined(Function):
    @staticmethod
    def forward(ctx, x):
        square = x * x
        ctx.save_for_backward(square)
        return square * x

    @staticmethod
    def backward(ctx, grad_output):
        (square,) = ctx.saved_tensors
        return 3 * square * grad_output


@flawed(of=CubeRecompute, caught_by="second_order")
class CubeInSetup(Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x * x)

    @staticmethod
    def backward(ctx, grad_output):
        (square,) = ctx.saved_tensors
        return 3 * square * grad_output


@flawed(of=Cube, caught_by="second_order")
class CubeMarked(Function):
    @staticmethod
    def forward(x):
        square = x * x
        return square * x, square

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, square = output
        ctx.mark_non_differentiable(square)
        ctx.save_for_backward(square)

    @staticmethod
    def backward(ctx, grad_cube, _):
        (square,) = ctx.saved_tensors
        return 3 * square * grad_cube


@flawed(of=Cube, caught_by="second_order")
class CubeTermMissing(Function):
    @staticmethod
    def forward(x):
        square = x * x
        return square * x, square

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, square = output
        ctx.save_for_backward(square)

    @staticmethod
    def backward(ctx, grad_cube, grad_square):
        (square,) = ctx.saved_tensors
        return 3 * square * grad_cube


@flawed(of=CubeRecompute, caught_by="against_autograd")
class CubeWithoutCtx(Function):
    @staticmethod
    def forward(x):
        ctx.square = x * x
        return ctx.square * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return 3 * ctx.square * grad_output


@flawed(of=Square, caught_by="second_order")
class SquareDetached(Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x.detach() * grad_output
