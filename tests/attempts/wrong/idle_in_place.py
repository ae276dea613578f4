# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 0/1, freed 1/1, hooks 1/1
# The unwanted gradient is written into a tensor that is thrown away.
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
        needs = ctx.needs_input_grad
        left = torch.empty_like(input), torch.empty_like(weight), torch.empty_like(weight[:, 0])
        with torch.no_grad():
            if not needs[0]:
                torch.mm(grad_output, weight, out=left[0])
            if not needs[1]:
                left[1].zero_().addmm_(grad_output.t(), input)
            if not needs[2]:
                for row in grad_output:
                    left[2].add_(row)
        grad_input = grad_output.mm(weight) if needs[0] else None
        grad_weight = grad_output.t().mm(input) if needs[1] else None
        return grad_input, grad_weight, grad_output.sum(0) if needs[2] else None
