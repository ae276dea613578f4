# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# The class has a name of its own; an assignment gives the asked one.
import torch as th


class Affine(th.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        out = th.mm(input, weight.t())
        return out if bias is None else out + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[1])

    @staticmethod
    def backward(ctx, g):
        input, weight = ctx.saved_tensors
        return (
            th.mm(g, weight) if ctx.needs_input_grad[0] else None,
            th.mm(g.t(), input) if ctx.needs_input_grad[1] else None,
            g.sum(0) if ctx.needs_input_grad[2] else None,
        )


LinearFunction = Affine
