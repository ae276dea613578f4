# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Everything in as few statements as can be.
import torch as T


class LinearFunction(T.autograd.Function):
    forward = staticmethod(
        lambda input, weight, bias=None: (y := input @ weight.T) if bias is None else y + bias
        if (y := input @ weight.T) is not None
        else y
    )

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])

    @staticmethod
    def backward(ctx, g):
        (x, w), (nx, nw, nb) = ctx.saved_tensors, ctx.needs_input_grad
        return (g @ w if nx else None), (g.T @ x if nw else None), (g.sum(0) if nb else None)
