# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# A list of what is saved, in which places depend on what is wanted.
import torch

class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        y = torch.bmm(input.unsqueeze(0), weight.t().unsqueeze(0)).squeeze(0)
        return y if bias is None else y + bias.expand(len(y), -1)
    @staticmethod
    def setup_context(ctx, inputs, output):
        x, w, b = inputs
        need_x, need_w, need_b = ctx.needs_input_grad
        saved = []
        if need_w: saved.append(x)
        if need_x: saved.append(w)
        ctx.save_for_backward(*saved)
    @staticmethod
    def backward(ctx, g):
        saved = list(ctx.saved_tensors)
        need_x, need_w, need_b = ctx.needs_input_grad
        w = saved.pop() if need_x else None
        x = saved.pop() if need_w else None
        return (torch.tensordot(g, w, dims=1) if need_x else None,
                (g.unsqueeze(2) * x.unsqueeze(1)).sum(0) if need_w else None,
                g.sum(0) if need_b else None)
