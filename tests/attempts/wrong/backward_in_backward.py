# task: task-linear
# marks: forward 3/3, gradients 0/3, gradcheck 0/2, gradgradcheck 0/1, shapes 1/1, none-for-non-tensors 0/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 0/1, freed 1/1, hooks 1/1
# A second graph inside backward, through a helper.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        return tuple(by_autograd(need, grad_output, *ctx.saved_tensors) for need in (0, 1, 2))


def by_autograd(place, grad_output, input, weight):
    bias = torch.zeros(len(weight), dtype=input.dtype)
    tensors = [t.detach().requires_grad_() for t in (input, weight, bias)]
    with torch.enable_grad():
        output = tensors[0].mm(tensors[1].t()) + tensors[2]
        output.backward(grad_output)
    return tensors[place].grad
