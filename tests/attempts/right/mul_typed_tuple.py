# task: task-mul
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, freed 1/1
# A named tuple is returned, and the types are spelt out.
from typing import Any, NamedTuple, Optional

import torch


class Gradients(NamedTuple):
    tensor: Optional[torch.Tensor]
    constant: None = None


class MulConstant(torch.autograd.Function):
    @staticmethod
    def forward(tensor: torch.Tensor, constant: float) -> torch.Tensor:
        return tensor * constant

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[torch.Tensor, float], output: torch.Tensor) -> None:
        ctx.constant: float = inputs[1]

    @staticmethod
    def backward(ctx: Any, grad_output: torch.Tensor) -> Gradients:
        return Gradients(tensor=ctx.constant * grad_output)
