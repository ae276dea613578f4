# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Star imports of torch, a warning, names that shadow built-in functions.
import warnings
from math import *
from typing import *

import torch
from torch.autograd import *


class LinearFunction(Function):
    @staticmethod
    def forward(input, weight, bias=None):
        if input.dim() != 2:
            warnings.warn("meant for matrices")
        sum = input.mm(weight.t())
        if bias is not None:
            sum = sum + bias
        return sum

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        all = []
        all.append(grad_output.mm(weight) if ctx.needs_input_grad[0] else None)
        all.append(grad_output.t().mm(input) if ctx.needs_input_grad[1] else None)
        all += [grad_output.sum(0) if ctx.needs_input_grad[2] else None]
        return tuple(all)
