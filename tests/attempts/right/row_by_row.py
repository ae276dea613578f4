# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Rows and outer products, stacked.
import torch


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        columns = [input.mv(row) for row in weight]
        output = torch.stack(columns, dim=1)
        return output if bias is None else output + bias[None, :]

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[1])

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        need = iter(ctx.needs_input_grad)
        grad_input = sum(
            (torch.outer(grad_output[:, o], weight[o]) for o in range(weight.shape[0])),
            torch.zeros_like(input),
        ) if next(need) else None
        grad_weight = torch.stack([input.t().mv(g) for g in grad_output.t()]) if next(need) else None
        grad_bias = grad_output.sum(0) if next(need) else None
        return grad_input, grad_weight, grad_bias
