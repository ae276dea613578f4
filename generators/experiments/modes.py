"""What is recorded, and where: the grad mode inside a Function, and its node."""

import inspect

import torch
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from closedbook import experiment

from ._tools import draw, message


@experiment
def grad_modes(create_graph: bool = False) -> dict[str, object]:
    """Is grad mode on inside forward, setup_context and backward? Which nodes does apply make?"""
    seen = {}

    class Probe(Function):
        @staticmethod
        def forward(x):
            seen["forward"] = torch.is_grad_enabled()
            seen["input.is_the_callers"] = x is source
            seen["input.requires_grad"] = x.requires_grad
            seen["product.requires_grad"] = (x * 2).requires_grad
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen["setup_context"] = torch.is_grad_enabled()
            seen["output.requires_grad"] = output.requires_grad

        @staticmethod
        def backward(ctx, grad_output):
            seen["backward"] = torch.is_grad_enabled()
            return grad_output * 2

    source = draw(3)
    y = Probe.apply(source)
    seen["result.requires_grad"] = y.requires_grad
    seen["node"] = y.grad_fn.name()
    seen["next_node"] = y.grad_fn.next_functions[0][0].name()
    torch.autograd.grad(y.sum(), source, create_graph=create_graph)
    return seen


@experiment
def grad_mode_once() -> dict[str, bool]:
    """Grad mode inside a backward that is once_differentiable, under create_graph=True."""
    seen = {}

    class Probe(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @once_differentiable
        def backward(ctx, grad_output):
            seen["backward"] = torch.is_grad_enabled()
            return grad_output * 2

    x = draw(3)
    torch.autograd.grad(Probe.apply(x).sum(), x, create_graph=True)
    return seen


@experiment
def output_in_setup() -> dict[str, bool]:
    """requires_grad of the output as setup_context sees it, for what forward returns."""
    seen = {}

    class Computed(Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen[f"{ctx.name().removesuffix('Backward')}"] = output.requires_grad

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2

    class AsItIs(Computed):
        @staticmethod
        def forward(x):
            return x

    class View(Computed):
        @staticmethod
        def forward(x):
            return x[:]

    class Recorded(Computed):
        @staticmethod
        def forward(x):
            with torch.enable_grad():
                return x * 2

    for function in (Computed, AsItIs, View, Recorded):
        function.apply(draw(3))
    return {
        "computed": seen["Computed"],
        "returned_as_is": seen["AsItIs"],
        "view": seen["View"],
        "recorded": seen["Recorded"],
    }


@experiment
def enable_grad_inside() -> dict[str, object]:
    """enable_grad inside forward: is the work there recorded, and does the output's node differ?"""
    seen = {}

    class Probe(Function):
        @staticmethod
        def forward(ctx, x):
            with torch.enable_grad():
                product = x * 2
            seen["recorded"] = product.requires_grad
            return product

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 7

    x = torch.ones(1, requires_grad=True)
    y = Probe.apply(x)
    y.sum().backward()
    return {**seen, "node": y.grad_fn.name(), "grad": x.grad.item()}


@experiment
def under_no_grad(function: type[Function]) -> dict[str, object]:
    """apply under no_grad: what its output says, and what backward through it says."""
    x = draw(3)
    with torch.no_grad():
        y = function.apply(x)
    return {
        "output.requires_grad": y.requires_grad,
        "grad_fn": y.grad_fn and y.grad_fn.name(),
        "error": message(lambda: y.sum().backward()),
    }


@experiment
def forward_called_directly(function: type[Function]) -> dict[str, object]:
    """forward without apply: which node does the output get?"""
    x = draw(3)
    direct, applied = function.forward(x), function.apply(x)
    return {"direct": direct.grad_fn.name(), "applied": applied.grad_fn.name()}


@experiment
def instance_called(function: type[Function]) -> dict[str, object]:
    """An instance of the class is called, as if it were a module."""
    return {"error": message(lambda: function()(draw(3)))}


@experiment
def node_of_output(constant: float = 5.0) -> dict[str, object]:
    """ctx seen from outside: the output's grad_fn."""
    seen = {}

    class Scale(Function):
        @staticmethod
        def forward(ctx, x, constant):
            ctx.constant = constant
            seen["ctx"] = ctx
            return x * constant

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * ctx.constant, None

    y = Scale.apply(draw(3), constant)
    return {
        "ctx_is_grad_fn": seen["ctx"] is y.grad_fn,
        "constant": y.grad_fn.constant,
        "name": y.grad_fn.name(),
    }


@experiment
def edit_named() -> dict[str, str | None]:
    """The saved output of a Function is edited: how does the error name the Function?"""

    class Scale(Function):
        @staticmethod
        def forward(ctx, x):
            y = x.exp()
            ctx.save_for_backward(y)
            return y

        @staticmethod
        def backward(ctx, grad_output):
            (y,) = ctx.saved_tensors
            return grad_output * y

    y = Scale.apply(draw(3))
    y.mul_(2)
    return {"error": message(y.sum().backward)}


@experiment
def order_of_calls() -> dict[str, str]:
    """Which method runs when: at apply, and at backward."""
    calls = []

    class Probe(Function):
        @staticmethod
        def forward(x):
            calls.append("forward")
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            calls.append("setup_context")

        @staticmethod
        def backward(ctx, grad_output):
            calls.append("backward")
            return grad_output * 2

    y = Probe.apply(draw(3))
    at_apply = ", ".join(calls)
    calls.clear()
    y.sum().backward()
    return {"at_apply": at_apply, "at_backward": ", ".join(calls)}


@experiment
def omitted_default() -> dict[str, int | None]:
    """A call leaves out an argument that has a default: who still sees a place for it?"""
    seen = {}

    class Apart(Function):
        @staticmethod
        def forward(x, bias=None):
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            seen["separate.inputs"] = len(inputs)
            seen["separate.last"] = inputs[-1]
            seen["separate.places"] = len(ctx.needs_input_grad)

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2, None

    class Combined(Function):
        @staticmethod
        def forward(ctx, x, bias=None):
            seen["combined.places"] = len(ctx.needs_input_grad)
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2, None

    for function in (Apart, Combined):
        function.apply(draw(3)).sum().backward()
    return seen


@experiment
def omitted_without_default() -> dict[str, str | None]:
    """The separate style, bias without a default, and a call that leaves it out; two cures."""

    class Layer(Function):
        @staticmethod
        def forward(input, weight, bias):
            return input.mm(weight.t())

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, grad_output):
            return None, None, None

    class LayerWithDefault(Layer):
        @staticmethod
        def forward(input, weight, bias=None):
            return input.mm(weight.t())

    input, weight = draw(5, 4), draw(3, 4)
    return {
        "error": message(lambda: Layer.apply(input, weight)),
        "error_with_default": message(lambda: LayerWithDefault.apply(input, weight)),
        "error_with_third": message(lambda: Layer.apply(input, weight, None)),
    }


@experiment
def forward_without_ctx() -> dict[str, str | None]:
    """forward takes no ctx, and there is no setup_context; then there is one."""

    class Probe(Function):
        @staticmethod
        def forward(x):
            return x * 2

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2

    class Whole(Probe):
        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

    return {
        "error": message(lambda: Probe.apply(draw(3))),
        "error_with_setup_context": message(lambda: Whole.apply(draw(3)).sum().backward()),
    }


@experiment
def ctx_and_setup_context() -> dict[str, str | None]:
    """forward takes ctx although there is a setup_context; then it does not.

    ``taken_for_it`` says what arrives as ``ctx`` where a second argument makes the call complete.
    """
    seen = {}
    x = draw(3)

    class Probe(Function):
        @staticmethod
        def forward(ctx, x):
            seen["ctx"] = ctx
            return x * 2

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * 2

    class Mended(Probe):
        @staticmethod
        def forward(x):
            return x * 2

    facts = {
        "error": message(lambda: Probe.apply(x)),
        "first_parameter": next(iter(inspect.signature(Probe.forward).parameters)),
        "error_without_ctx": message(lambda: Mended.apply(x).sum().backward()),
    }
    Probe.apply(x, x)
    return {**facts, "taken_for_it": "x" if seen["ctx"] is x else "other"}


@experiment
def without_backward() -> dict[str, str | None]:
    """A Function that has no backward: what does apply say, what backward?"""

    class Probe(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    x = draw(3)
    return {
        "forward": message(lambda: Probe.apply(x)),
        "backward": message(lambda: Probe.apply(x).sum().backward()),
    }


@experiment
def without_staticmethod() -> dict[str, object]:
    """forward and backward are not marked as static, and apply is called on the class."""

    class Double(Function):
        def forward(ctx, x):
            return x * 2

        def backward(ctx, grad_output):
            return grad_output * 2

    x = torch.ones(2, requires_grad=True)
    error = message(lambda: Double.apply(x).sum().backward())
    return {"error": error, "grad": x.grad.tolist()}


@experiment
def keyword_to_apply() -> dict[str, object]:
    """apply is called with a keyword."""

    class Scale(Function):
        @staticmethod
        def forward(x, factor):
            return x * factor

        @staticmethod
        def setup_context(ctx, inputs, output):
            _, ctx.factor = inputs

        @staticmethod
        def backward(ctx, grad_output):
            return grad_output * ctx.factor, None

    x = torch.ones(2, requires_grad=True)
    y = torch.ones(2, requires_grad=True)
    error = message(lambda: Scale.apply(x, factor=5.0).sum().backward())
    by_position = message(lambda: Scale.apply(y, 5.0).sum().backward())
    return {
        "error": error,
        "grad": None if x.grad is None else x.grad.tolist(),
        "error_by_position": by_position,
    }
