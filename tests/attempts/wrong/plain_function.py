# task: task-linear
# marks: forward 0/3, gradients 0/3, gradcheck 0/2, gradgradcheck 0/1, shapes 0/1, none-for-non-tensors 0/1, setup-context 0/1, saved-tensors 0/1, grad-output-untouched 0/1, needs-input-grad 0/1, freed 0/1, hooks 0/1
# A function that autograd differentiates.
import torch


def LinearFunction(input, weight, bias=None):
    output = input.mm(weight.t())
    return output if bias is None else output + bias
