"""Wrong on purpose: linear layers whose gradients do not hold."""

from torch.autograd import Function

from closedbook import flawed

from .linear import LinearFunction


@flawed(of=LinearFunction, caught_by="zero_bias_grad")
class LinearZeroBias(Function):
    @staticmethod
    def forward(input, weight, bias):
        return input.mm(weight.t()) + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight, bias = ctx.saved_tensors
        grad_input = grad_output.mm(weight)
        grad_weight = grad_output.t().mm(input)
        grad_bias = bias.new_zeros(bias.shape)
        return grad_input, grad_weight, grad_bias


@flawed(of=LinearFunction, caught_by="zero_bias_grad")
class LinearNoneBias(Function):
    @staticmethod
    def forward(input, weight, bias):
        return input.mm(weight.t()) + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, _ = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grad_input = grad_output.mm(weight)
        grad_weight = grad_output.t().mm(input)
        return grad_input, grad_weight, None


@flawed(of=LinearFunction, caught_by="shapes_returned")
class LinearUnsummed(Function):
    @staticmethod
    def forward(input, weight, bias):
        return input.mm(weight.t()) + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, _ = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grad_input = grad_output.mm(weight)
        grad_weight = grad_output.t().mm(input)
        return grad_input, grad_weight, grad_output


@flawed(of=LinearFunction, caught_by="square_weight")
class LinearTransposed(Function):
    @staticmethod
    def forward(input, weight):
        return input.mm(weight.t())

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grad_input = grad_output.mm(weight)
        grad_weight = input.t().mm(grad_output)
        return grad_input, grad_weight


@flawed(of=LinearFunction, caught_by="one_feature")
class LinearSqueezed(Function):
    @staticmethod
    def forward(input, weight, bias):
        return input.mm(weight.t()) + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, _ = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grad_input = grad_output.mm(weight)
        grad_weight = grad_output.t().mm(input)
        grad_bias = grad_output.sum(0).squeeze(0)
        return grad_input, grad_weight, grad_bias


@flawed(of=LinearFunction, caught_by="against_autograd")
class LinearList(Function):
    @staticmethod
    def forward(input, weight):
        return input.mm(weight.t())

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grads = [grad_output.mm(weight)]
        grads.append(grad_output.t().mm(input))
        return grads


@flawed(of=LinearFunction, caught_by="multiplications")
class LinearUngated(Function):
    @staticmethod
    def forward(input, weight):
        return input.mm(weight.t())

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grad_input = grad_output.mm(weight)
        grad_weight = grad_output.t().mm(input)
        return grad_input, grad_weight
