"""What ctx is told of outputs: dirty, not differentiable, materialised or not."""

import math
from collections.abc import Callable

import torch
from torch.autograd import Function, gradcheck

from closedbook import experiment

from ..functions.outputs import SinCosLazy
from ._tools import Count, draw, message, numbers, passes


@experiment
def edited_input(marked: bool = True) -> dict[str, object]:
    """x times 2, written into x within forward: gradients by way of x's old name."""

    # part: marked
    class Marked(Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2

    # end: marked

    # part: unmarked
    class Unmarked(Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            return x

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2

    # end: unmarked

    function = Marked if marked else Unmarked
    source = torch.ones(1, dtype=torch.double, requires_grad=True)
    h = source * 1
    y = function.apply(h)
    (by_new,) = torch.autograd.grad(y.sum(), source, retain_graph=True)
    (by_old,) = torch.autograd.grad(h.sum(), source)
    plain = source * 1
    plain.mul_(2)
    (right,) = torch.autograd.grad(plain.sum(), source)
    return {
        "same_object": y is h,
        "value": h.item(),
        "grad_by_new_name": by_new.item(),
        "grad_by_old_name": by_old.item(),
        "correct": right.item(),
        "version": h._version,
    }


@experiment
def edited_leaf(marked: bool = True) -> dict[str, object]:
    """The same for a leaf that requires its gradient."""

    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            if marked:
                ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2

    leaf = torch.ones(1, requires_grad=True)
    return {"error": message(lambda: Double.apply(leaf)), "value": leaf.item()}


@experiment
def dirty_not_returned() -> dict[str, object]:
    """An input is marked dirty and not returned."""

    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x)
            return x.mul_(2).clone()

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2

    return {"error": message(lambda: Double.apply(draw(2) * 1))}


@experiment
def returned_as_is() -> dict[str, object]:
    """forward returns its input untouched: is the output the same object, the same memory?"""

    class Pass(Function):
        @staticmethod
        def forward(x):
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 7

    x = torch.ones(1, requires_grad=True)
    y = Pass.apply(x)
    (grad,) = torch.autograd.grad(y.sum(), x)
    return {
        "same_object": y is x,
        "same_memory": y.data_ptr() == x.data_ptr(),
        "grad": grad.item(),
    }


@experiment
def returned_as_is_and_saved(instead: str = "view_as") -> dict[str, object]:
    """forward returns its input, or what ``instead`` names, and setup_context saves it."""
    others = {"view_as": lambda x: x.view_as(x), "slice": lambda x: x[:], "detach": torch.detach}

    class Pass(Function):
        @staticmethod
        def forward(x):
            return x

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(output)

        @staticmethod
        def backward(ctx, grad_output):
            ctx.saved_tensors  # noqa: B018 -- read, as a backward that needs it would
            return grad_output * 7

    class PassOther(Pass):
        @staticmethod
        def forward(x):
            return others[instead](x)

    x = draw(2)
    y = PassOther.apply(x)
    return {
        "error": message(lambda: Pass.apply(draw(2))),
        "error_of_other": message(y.sum().backward),
        "same_memory": y.data_ptr() == x.data_ptr(),
        "grad": numbers(x.grad),
    }


@experiment
def integer_output(marked: bool = True) -> dict[str, object]:
    """An index as a second output: requires_grad of each output, and what backward gets for it."""
    seen = {}

    class Top(Function):
        @staticmethod
        def forward(ctx, x):
            best = x.max(0)
            if marked:
                ctx.mark_non_differentiable(best.indices)
            return best.values, best.indices

        @staticmethod
        def backward(ctx, grad_values, grad_index):
            seen["grad_index"] = numbers(grad_index)
            return grad_values.new_zeros(3)

    value, index = Top.apply(draw(3))
    value.backward()
    return {
        "value.requires_grad": value.requires_grad,
        "index.requires_grad": index.requires_grad,
        **seen,
    }


@experiment
def float_output(marked: bool = True) -> dict[str, object]:
    """A real-valued second output that backward ignores, marked or not."""

    # part: unmarked
    class WithNorm(Function):
        @staticmethod
        def forward(ctx, x):
            norm = x.norm()
            return x * 2, norm

        @staticmethod
        def backward(ctx, grad_doubled, grad_norm):
            return grad_doubled * 2

    # end: unmarked

    # part: marked
    class WithMark(Function):
        @staticmethod
        def forward(ctx, x):
            norm = x.norm()
            ctx.mark_non_differentiable(norm)
            return x * 2, norm

        @staticmethod
        def backward(ctx, grad_doubled, grad_norm):
            return grad_doubled * 2

    # end: marked

    x = torch.tensor([3.0, 4.0], dtype=torch.double, requires_grad=True)
    _, norm = (WithMark if marked else WithNorm).apply(x)
    error = message(lambda: norm.backward())
    (right,) = torch.autograd.grad(x.norm(), x)
    return {
        "norm.requires_grad": norm.requires_grad,
        "error": error,
        "grad": numbers(x.grad),
        "correct": numbers(right),
    }


@experiment
def unused_output(materialize: bool = True) -> dict[str, object]:
    """Only the first of two outputs is used: what does backward get for the second?"""
    seen = {}

    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(materialize)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g0, g1):
            seen["g1"] = numbers(g1)
            return g0 * 2

    one, _ = Two.apply(draw(2))
    one.sum().backward()
    return seen


def _named(call: Callable[[], object]) -> str:
    """The class and the text of the error that ``call`` raises."""
    try:
        call()
    except Exception as error:  # which error comes is what is observed
        return f"{type(error).__name__}: {error}"
    return "none"


@experiment
def lazy_gradcheck() -> dict[str, object]:
    """gradcheck of a Function that asks for None, and handles it or does not."""

    # part: careless
    class Careless(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g0, g1):
            return g0 * 2 + g1 * 3

    # end: careless
    one, _ = Careless.apply(draw(2))
    inputs = (draw(2),)
    defined = {"check_undefined_grad": False}
    return {
        "careful": passes(gradcheck, SinCosLazy.apply, (draw(2),)),
        "unused_error": _named(lambda: one.sum().backward()),
        "gradcheck_error": _named(lambda: gradcheck(Careless.apply, inputs)),
        "error_of_defined": _named(lambda: gradcheck(Careless.apply, inputs, **defined)),
    }


@experiment
def both_outputs(function: type[Function], value: float = 1.0) -> dict[str, object]:
    """sin x + cos x by a Function of both: the gradients of the two paths meet."""
    x = torch.tensor(value, dtype=torch.double, requires_grad=True)
    one, two = function.apply(x)
    (one + two).backward()
    return {
        "grad": round(x.grad.item(), 6),
        "correct": round(math.cos(value) - math.sin(value), 6),
        "gradcheck_passes": passes(gradcheck, function.apply, (draw(3),)),
    }


@experiment
def products_for_one_output(function: type[Function]) -> dict[str, int]:
    """Only the first of two outputs is used: how many products does backward compute?"""
    one, _ = function.apply(draw(3))
    gradient = torch.ones_like(one)
    with Count(torch.ops.aten.mul.Tensor) as count:
        one.backward(gradient)
    return {"products": count.calls}


@experiment
def list_or_tuple(kind: str = "list") -> dict[str, object]:
    """forward returns its two outputs in a list, or in a tuple: are they tracked?"""

    # part: list
    class InList(Function):
        @staticmethod
        def forward(ctx, x):
            return [x * 2, x * 3]

        @staticmethod
        def backward(ctx, g0, g1):
            return g0 * 2 + g1 * 3

    # end: list

    # part: tuple
    class InTuple(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, g0, g1):
            return g0 * 2 + g1 * 3

    # end: tuple

    outputs = {"list": InList, "tuple": InTuple}[kind].apply(draw(2))
    return {
        "type": type(outputs).__name__,
        "requires_grad": outputs[0].requires_grad,
    }


@experiment
def tuple_argument() -> dict[str, object]:
    """Tensors inside one tuple argument, and the same two as arguments of their own."""

    # part: pair
    class PairProduct(Function):
        @staticmethod
        def forward(ctx, pair):
            a, b = pair
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, grad):
            a, b = ctx.saved_tensors
            return grad * b, grad * a

    # end: pair

    # part: apart
    class Product(Function):
        @staticmethod
        def forward(ctx, a, b):
            ctx.save_for_backward(a, b)
            return a * b

        @staticmethod
        def backward(ctx, grad):
            a, b = ctx.saved_tensors
            return grad * b, grad * a

    # end: apart

    a, b = draw(2), draw(2)
    return {
        "in_tuple": PairProduct.apply((a, b)).requires_grad,
        "apart": Product.apply(a, b).requires_grad,
    }


@experiment
def number_output() -> dict[str, object]:
    """forward returns a tensor and a plain number: how many gradients does backward receive?"""
    seen = {}

    class WithCount(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, x.numel()

        @staticmethod
        def backward(ctx, *grads):
            seen["received"] = len(grads)
            seen["second"] = numbers(grads[1])
            return grads[0] * 2

    y, count = WithCount.apply(draw(3))
    y.sum().backward()
    return {"number": count, **seen}


@experiment
def save_number() -> dict[str, object]:
    """save_for_backward of a plain number, and of None."""

    def function_that_saves(extra: object) -> type[Function]:
        class Saves(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x, extra)
                return x * 2

            @staticmethod
            def backward(ctx, grad_output):
                return grad_output * 2

        return Saves

    number, none = function_that_saves(2.0), function_that_saves(None)
    output = none.apply(draw(2))
    kept = output.grad_fn.saved_tensors
    return {
        "saved_of_none": len(kept),
        "last_of_none": kept[-1],
        "error_of_number": message(lambda: number.apply(draw(2))),
        "error_of_none": message(lambda: none.apply(draw(2))),
    }


@experiment
def unused_branch() -> dict[str, object]:
    """b does not reach the first output: its gradient by a Function, and by plain operations."""

    class Pair(Function):
        @staticmethod
        def forward(ctx, a, b):
            return a * 2, b * 3

        @staticmethod
        def backward(ctx, g0, g1):
            return g0 * 2, g1 * 3

    a, b = draw(2), draw(2)
    one, _ = Pair.apply(a, b)
    (by_function,) = torch.autograd.grad(one.sum(), b, allow_unused=True)
    (by_plain,) = torch.autograd.grad((a * 2).sum(), b, allow_unused=True)
    return {"by_function": numbers(by_function), "by_plain": numbers(by_plain)}
