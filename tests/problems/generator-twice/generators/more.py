import torch

import closedbook as cb


@cb.reference(example={"input": (3,)})
class Square(torch.autograd.Function):
    pass
