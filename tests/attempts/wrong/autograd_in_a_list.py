# task: task-linear
# marks: forward 3/3, gradients 0/3, gradcheck 0/2, gradgradcheck 0/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Asks autograd by a name that the text of backward does not have, with gradients on by another.
import torch

TOOLS = []


def forward_again(input, weight, bias):
    output = input.mm(weight.t())
    return output if bias is None else output + bias


class Switch:
    def on(self):
        self.requires_grad = True


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, bias = inputs
        ctx.save_for_backward(input, weight, bias)

    @staticmethod
    def backward(ctx, grad_output):
        saved = [None if t is None else t.detach().clone() for t in ctx.saved_tensors]
        for t in saved:
            if t is not None:
                Switch.on(t)
        with TOOLS[1]:
            output = forward_again(*saved)
        wanted = [t for t, w in zip(saved, ctx.needs_input_grad) if w and t is not None]
        found = list(TOOLS[0](output, wanted, grad_output))
        return tuple(
            found.pop(0) if w and t is not None else None
            for t, w in zip(saved, ctx.needs_input_grad)
        )


TOOLS.append(torch.autograd.grad)
TOOLS.append(torch.enable_grad())
