# task: task-linear
# marks: forward 0/3, gradients 0/3, gradcheck 0/2, gradgradcheck 0/1, shapes 0/1, none-for-non-tensors 0/1, setup-context 0/1, saved-tensors 0/1, grad-output-untouched 0/1, needs-input-grad 0/1, freed 0/1, hooks 0/1
# Asks autograd by a name that no search finds.
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
        input, weight = ctx.saved_tensors
        engine = getattr(torch, "auto" + "grad")
        with engine.enable_grad():
            leaves = [t.detach().requires_grad_() for t in (input, weight)]
            output = leaves[0].mm(leaves[1].t())
        return *engine.grad(output, leaves, grad_output), grad_output.sum(0) if ctx.needs_input_grad[2] else None
