import torch

from closedbook import experiment, flawed as wrong, reference


@reference
class Cube(torch.autograd.Function):
    pass


@experiment(isolate=True)
def one():
    return {}


@experiment
class Two:
    pass


@wrong(of=Cube, caught_by="lifetime_of_safed")
class Three(torch.autograd.Function):
    pass
