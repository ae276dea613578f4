"""The linear layer, with its context set up apart from forward and within it."""

from torch.autograd import Function

from closedbook import reference


@reference(example={"input": (5, 4), "weight": (3, 4), "bias": (3,)})
class LinearFunction(Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, _ = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        wants = ctx.needs_input_grad
        grad_input = grad_weight = grad_bias = None
        if wants[0]:
            grad_input = grad_output.mm(weight)
        if wants[1]:
            grad_weight = grad_output.t().mm(input)
        if wants[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


@reference(example={"input": (5, 4), "weight": (3, 4), "bias": (3,)})
class LinearFrugal(Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, _ = inputs
        wants = ctx.needs_input_grad
        ctx.save_for_backward(
            input if wants[1] else None,
            weight if wants[0] else None,
        )

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        wants = ctx.needs_input_grad
        grad_input = grad_weight = grad_bias = None
        if wants[0]:
            grad_input = grad_output.mm(weight)
        if wants[1]:
            grad_weight = grad_output.t().mm(input)
        if wants[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


@reference(example={"input": (5, 4), "weight": (3, 4), "bias": (3,)})
class LinearCombined(Function):
    @staticmethod
    def forward(ctx, input, weight, bias=None):
        ctx.save_for_backward(input, weight)
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        # An argument that was left out has no place here.
        wants = (*ctx.needs_input_grad, False)
        grad_input = grad_weight = grad_bias = None
        if wants[0]:
            grad_input = grad_output.mm(weight)
        if wants[1]:
            grad_weight = grad_output.t().mm(input)
        if wants[2]:
            grad_bias = grad_output.sum(0)
        return grad_input, grad_weight, grad_bias


@reference(example={"input": (5, 4), "weight": (3, 4)})
class LinearTuple(Function):
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
        return tuple(grads)
