# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Helpers whose results are kept for the next time.
import torch
import functools

@functools.lru_cache(maxsize=None)
def lower(n):
    return torch.tril(torch.ones(n, n)).bool()

@functools.cache
def ones(n, dtype):
    return (torch.zeros(n, dtype=dtype) + 1).cos().acos()

class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        out = input @ weight.mT
        return out if bias is None else out + bias
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        a, b, c = ctx.needs_input_grad
        return g @ w if a else None, g.mT @ x if b else None, ones(len(g), g.dtype) @ g if c else None
