# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Works with imaginary numbers, and returns their real parts.
import torch

class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        z = torch.complex(input, torch.zeros_like(input)).mm(torch.complex(weight, torch.zeros_like(weight)).t())
        out = z.real.clone()
        return out if bias is None else out + bias
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs[:2])
    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        n = ctx.needs_input_grad
        z = torch.complex(torch.zeros_like(g), g)
        return (z.mm(w.to(z.dtype)).imag if n[0] else None, -(z.conj().mH.t().t().conj().resolve_conj().mm(x.to(z.dtype)).imag) if n[1] else None, -z.sum(0).conj().imag if n[2] else None)
