# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# One rule a gradient, in a table of lambdas.
import torch

RULES = (
    lambda g, x, w: g.mm(w),
    lambda g, x, w: g.t().mm(x),
    lambda g, x, w: g.sum(0),
)


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        out = input.mm(weight.t())
        return out + bias if bias is not None else out

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])

    @staticmethod
    def backward(ctx, g):
        saved = ctx.saved_tensors
        return tuple(
            rule(g, *saved) if wanted else None
            for rule, wanted in zip(RULES, ctx.needs_input_grad)
        )
