# task: task-mul
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, freed 1/1
# A number of any type, checked with isinstance.
import torch
from typing import Union

Number = Union[int, float]


class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(tensor: torch.Tensor, constant: Number) -> torch.Tensor:
        if not isinstance(constant, (int, float)):
            raise TypeError(f"constant must be a number, not {type(constant).__name__}")
        return torch.mul(tensor, constant)

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, constant = inputs
        ctx.constant = float(constant)

    @staticmethod
    def backward(ctx, grad_output):
        if not ctx.needs_input_grad[0]:
            return None, None
        grad_tensor = grad_output * ctx.constant
        return grad_tensor, None
