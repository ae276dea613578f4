"""x² and x³. The cube shows each way to keep an intermediate for backward."""

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from closedbook import reference


@reference(example={"x": (2, 3)})
class Square(Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


@reference(example={"x": (2, 3)})
class Cube(Function):
    @staticmethod
    def forward(x):
        square = x * x
        return square * x, square

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        _, square = output
        ctx.save_for_backward(x, square)

    @staticmethod
    def backward(ctx, grad_cube, grad_square):
        x, square = ctx.saved_tensors
        from_cube = 3 * square * grad_cube
        from_square = 2 * x * grad_square
        return from_cube + from_square


@reference(example={"x": (2, 3)})
class CubeRecompute(Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        square = x * x
        return 3 * square * grad_output


@reference(example={"x": (2, 3)})
class CubeRecorded(Function):
    @staticmethod
    def forward(x):
        return x * x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        with torch.enable_grad():
            square = x * x
        ctx.save_for_backward(square)

    @staticmethod
    def backward(ctx, grad_output):
        (square,) = ctx.saved_tensors
        return 3 * square * grad_output


@reference(example={"x": (2, 3)}, double_backward=False)
class CubeOnce(Function):
    @staticmethod
    def forward(ctx, x):
        square = x * x
        ctx.save_for_backward(square)
        return square * x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (square,) = ctx.saved_tensors
        return 3 * square * grad_output


@reference(example={"x": (2, 3)}, double_backward=False)
class SquareOnce(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


@reference(example={"x": (2, 3)}, double_backward=False)
class SquareNumpy(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.from_numpy(x.detach().numpy() ** 2)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        g = grad_output.numpy() * 2 * x.numpy()
        return torch.from_numpy(g)
