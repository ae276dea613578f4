# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# What stands below the main block may do anything: it does not run here.
import os
import sys

import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        out = input.mm(weight.t())
        return out if bias is None else out + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[1])

    @staticmethod
    def backward(ctx, g):
        input, weight = ctx.saved_tensors
        a = b = c = None
        if ctx.needs_input_grad[0]:
            a = g.mm(weight)
        if ctx.needs_input_grad[1]:
            b = g.t().mm(input)
        if ctx.needs_input_grad[2]:
            c = g.sum(0)
        return a, b, c


def test_it():
    with open("log.txt", "w") as file:
        file.write(sys.version)


if __name__ == "__main__":
    test_it()
    os._exit(0)
