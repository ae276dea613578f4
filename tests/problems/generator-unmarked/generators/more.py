import torch

from closedbook import flawed


def int_of(value: float) -> dict:
    return {"int": int(value)}


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input**3


@experiment
def float_of(value: int) -> dict:
    return {"float": float(value)}


@flawed(of=Cube, caught_by="int_of")
class Flat(torch.autograd.Function):
    @staticmethod
    def forward(ctx, input):
        return input
