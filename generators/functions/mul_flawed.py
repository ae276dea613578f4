"""Wrong on purpose: a multiplication whose backward breaks its contract."""

from torch.autograd import Function

from closedbook import flawed

from .broadcasting import BroadcastMul
from .mul_constant import MulConstant


@flawed(of=MulConstant, caught_by="shared_gradient")
class MulConstantInPlace(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.constant = inputs

    @staticmethod
    def backward(ctx, grad_output):
        grad_output.mul_(ctx.constant)
        return grad_output, None


@flawed(of=MulConstant, caught_by="against_autograd")
class MulConstantTensorGrad(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        tensor, ctx.constant = inputs
        ctx.save_for_backward(tensor)

    @staticmethod
    def backward(ctx, grad_output):
        (tensor,) = ctx.saved_tensors
        grad_tensor = grad_output * ctx.constant
        grad_constant = (grad_output * tensor).sum()
        return grad_tensor, grad_constant


@flawed(of=MulConstant, caught_by="against_autograd")
class MulConstantTooFew(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.constant = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant


@flawed(of=MulConstant, caught_by="against_autograd")
class MulConstantTooMany(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.constant = inputs

    @staticmethod
    def backward(ctx, grad_output):
        grad_tensor = grad_output * ctx.constant
        return grad_tensor, None, grad_output


@flawed(of=MulConstant, caught_by="values_returned")
class MulConstantExtraNone(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.constant = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None, None


@flawed(of=BroadcastMul, caught_by="tensor_constant")
class MulConstantNoned(Function):
    @staticmethod
    def forward(tensor, constant):
        return tensor * constant

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, constant = inputs
        ctx.constant = float(constant)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * ctx.constant, None
