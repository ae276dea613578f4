# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# A test at the bottom with the names that backward has too, and one that nothing calls.
"""LinearFunction, with its tests."""

import math
from dataclasses import dataclass
from typing import Any, Optional, Tuple

import torch
from torch import Tensor
from torch.autograd.function import FunctionCtx


class LinearFunction(torch.autograd.Function):
    """y = x W^T + b."""

    @staticmethod
    def forward(input: Tensor, weight: Tensor, bias: Optional[Tensor] = None) -> Tensor:
        assert input.dim() == 2, f"input has {input.dim()} dimensions"
        output = torch.matmul(input, weight.T)
        if bias is not None:
            output = output + bias
        return output

    @staticmethod
    def setup_context(
        ctx: Any, inputs: Tuple[Tensor, Tensor, Optional[Tensor]], output: Tensor
    ) -> None:
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx: FunctionCtx, grad_output: Tensor) -> Tuple[Optional[Tensor], ...]:
        input, weight, bias = ctx.saved_tensors
        grad_input: Optional[Tensor] = None
        grad_weight: Optional[Tensor] = None
        grad_bias: Optional[Tensor] = None
        need_input, need_weight, need_bias = ctx.needs_input_grad
        if need_input:
            grad_input = grad_output @ weight
        if need_weight:
            grad_weight = grad_output.T @ input
        if need_bias and bias is not None:
            grad_bias = grad_output.sum(dim=0)
        return grad_input, grad_weight, grad_bias


@dataclass
class Sizes:
    rows: int = 3
    inputs: int = 4
    outputs: int = 2


def test_against_autograd():
    input = torch.randn(3, 4, dtype=torch.double, requires_grad=True)
    weight = torch.randn(2, 4, dtype=torch.double, requires_grad=True)
    bias = torch.randn(2, dtype=torch.double, requires_grad=True)
    output = LinearFunction.apply(input, weight, bias)
    grad_output = torch.randn_like(output)
    grad_input, grad_weight, grad_bias = torch.autograd.grad(
        output, (input, weight, bias), grad_output
    )
    assert torch.allclose(grad_input, grad_output @ weight)
    print("ok {:.2f} {}".format(math.pi, grad_weight.shape))


sizes = Sizes()
input = torch.randn(sizes.rows, sizes.inputs, dtype=torch.double, requires_grad=True)
weight = torch.randn(sizes.outputs, sizes.inputs, dtype=torch.double, requires_grad=True)
bias = torch.randn(sizes.outputs, dtype=torch.double, requires_grad=True)
output = LinearFunction.apply(input, weight, bias)
grad_input, grad_weight, grad_bias = torch.autograd.grad(output.sum(), (input, weight, bias))
print(f"{grad_input.shape=} {grad_weight.shape} {grad_bias!r:.20}")
test_against_autograd()
output = LinearFunction.apply(input, weight, None)
output.sum().backward()
