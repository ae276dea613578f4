# task: task-linear
# marks: forward 3/3, gradients 3/3, gradcheck 2/2, gradgradcheck 1/1, shapes 1/1, none-for-non-tensors 1/1, setup-context 1/1, saved-tensors 1/1, grad-output-untouched 1/1, needs-input-grad 1/1, freed 1/1, hooks 1/1
# Combined style with types, a None that is saved, and a walrus.
import typing as t
import torch
from torch.autograd import Function, gradcheck


class LinearFunction(Function):
    @staticmethod
    def forward(input, weight, bias=None):
        y = torch.einsum("ni,oi->no", input, weight)
        if bias is not None:
            y += bias
        return y

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.set_materialize_grads(True)

    @staticmethod
    def backward(ctx, *grads):
        (g,) = grads
        input, weight, bias = ctx.saved_tensors
        rules: t.List[t.Callable] = [
            lambda: torch.einsum("no,oi->ni", g, weight),
            lambda: torch.einsum("no,ni->oi", g, input),
            lambda: g.sum(0) if (b := bias) is not None else None,
        ]
        return tuple(rule() if need else None for rule, need in zip(rules, ctx.needs_input_grad))


def main() -> None:
    x, w = (torch.rand(3, 3, dtype=torch.float64, requires_grad=True) for _ in range(2))
    assert gradcheck(LinearFunction.apply, (x, w))
    print("gradcheck passed")


if __name__ == "__main__":
    import sys

    main()
    sys.exit(0)
