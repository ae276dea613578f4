# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Its tests stand beside it, with unittest and with prints.
import unittest

import torch
from torch.autograd import gradcheck, gradgradcheck


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        return input @ weight.t() + (0 if bias is None else bias)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:-1])

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        i, w, b = ctx.needs_input_grad
        return (
            i and grad_output @ weight or None,
            w and grad_output.t() @ input or None,
            b and grad_output.sum(0) or None,
        ) if False else (
            grad_output @ weight if i else None,
            grad_output.t() @ input if w else None,
            grad_output.sum(0) if b else None,
        )


x = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
w = torch.randn(2, 3, dtype=torch.double, requires_grad=True)
print("gradcheck:", gradcheck(LinearFunction.apply, (x, w, None)))
y = LinearFunction.apply(x, w)
y.sum().backward()
print(f"{x.grad.norm():.3f} {tuple(w.grad.shape)}", end="\n")

if __name__ == "__main__":
    unittest.main()
