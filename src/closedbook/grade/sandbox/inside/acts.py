"""Runs of a loaded Function: forward, backward, double backward.

Every act takes the Function, the request, its tensors and the tray for tensors that go back, and
returns plain data.
"""

from __future__ import annotations

import traceback
from typing import TYPE_CHECKING, Any

import torch
import watch  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox
import wire  # type: ignore[import-not-found]  # likewise

if TYPE_CHECKING:
    from collections.abc import Callable

Request = dict[str, Any]
_SENT = {getattr(torch, name) for name in wire.ITEM}
_engine = torch.autograd.Variable._execution_engine
_bound_to = torch.autograd.Function.__dict__["apply"].__get__
FILE = "attempt.py"
_TEXT = 2000
"""Characters of an exception that go back; a report shows fewer."""


def describe(error: BaseException) -> dict[str, Any]:
    """An exception as plain data: type, text, the attempt's line nearest to where it was raised."""
    line, text = 0, str(error)
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == FILE:
            line = frame.lineno or 0
    if isinstance(error, SyntaxError) and error.filename == FILE:
        line, text = error.lineno or 0, str(error.msg)  # without the name that the file has in here
    number = getattr(error, "errno", None)
    return {
        "type": type(error).__name__[:80],
        "text": text[:_TEXT],
        "line": line,
        "errno": number if isinstance(number, int) else 0,
    }


class Outgoing:
    """The tensors that go back. ``put`` gives the number by which the header speaks of one."""

    def __init__(self) -> None:
        self.tensors: list[torch.Tensor] = []

    def put(self, value: Any) -> Any:
        """``{"t": 0}`` for a tensor, None for None, ``{"type": ...}`` for what cannot be sent."""
        if value is None:
            return None
        if not isinstance(value, torch.Tensor):
            return {"type": type(value).__name__[:80]}
        if value.layout is not torch.strided or value.dtype not in _SENT:
            return {"type": f"{value.layout} tensor of {value.dtype}"[:80]}
        with torch._C.DisableTorchFunctionSubclass():
            self.tensors.append(value.detach().clone().as_subclass(torch.Tensor))
        return {"t": len(self.tensors) - 1}

    def take(self, told: Any, tensors: list[torch.Tensor]) -> Any:
        """What another tray's numbers speak of, with the numbers that its tensors have here."""
        begun = len(self.tensors)
        self.tensors += tensors

        def moved(value: Any) -> Any:
            if isinstance(value, dict):
                if value.keys() == {"t"}:
                    return {"t": value["t"] + begun}
                return {key: moved(part) for key, part in value.items()}
            return [moved(part) for part in value] if isinstance(value, list) else value

        return moved(told)


def laid_out(tensor: torch.Tensor, layout: str) -> torch.Tensor:
    """The same values in another memory layout."""
    if layout == "transposed" and tensor.dim() > 1:
        return tensor.transpose(0, -1).contiguous().transpose(0, -1)
    if layout in ("strided", "transposed") and tensor.dim():
        wide = torch.zeros((*tensor.shape[:-1], tensor.shape[-1] * 2), dtype=tensor.dtype)
        wide[..., ::2] = tensor
        return wide[..., ::2]
    return tensor.clone()


def take_arguments(case: Request, tensors: list[torch.Tensor]) -> list[Any]:
    """The positional arguments of one call; tensors are fresh leaves."""
    made: list[Any] = []
    for argument in case["args"]:
        if "t" in argument:
            tensor = laid_out(tensors[argument["t"]], argument.get("layout", ""))
            made.append(tensor.requires_grad_(argument.get("grad", False)))
        else:
            made.append(argument["v"])
    return made


def take_seeds(case: Request, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """The ``grad_output`` of each output of one call."""
    return [laid_out(tensors[seed["t"]], seed.get("layout", "")) for seed in case["seeds"]]


def wanted_of(arguments: list[Any]) -> list[torch.Tensor]:
    """The arguments whose gradient is asked for."""
    return [a for a in arguments if isinstance(a, torch.Tensor) and a.requires_grad]


def parts_of(value: Any) -> list[Any]:
    """The parts of a tuple or list as the engine reads them: a subclass cannot show others."""
    if isinstance(value, tuple):
        return list(tuple.__getitem__(value, slice(None)))
    return list.__getitem__(value, slice(None)) if isinstance(value, list) else [value]


def call_on(function: Any, arguments: list[Any]) -> list[Any]:
    """The outputs of ``apply``: torch's own, whatever the class calls so."""
    with watch.Watching("forward"):
        outputs = _bound_to(None, function)(*arguments)
    return parts_of(outputs)


def gradients_of(
    outputs: list[Any],
    wanted: list[torch.Tensor],
    seeds: list[torch.Tensor],
    create_graph: bool = False,
) -> tuple[torch.Tensor | None, ...]:
    """What ``torch.autograd.grad`` does, without the half second that it takes to load sympy."""
    if len(outputs) != len(seeds):
        raise RuntimeError(f"got {len(outputs)} tensors and {len(seeds)} gradients")
    for index, (output, seed) in enumerate(zip(outputs, seeds, strict=True)):
        if output.shape != seed.shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{index}] has a shape of {tuple(seed.shape)} and "
                f"output[{index}] has a shape of {tuple(output.shape)}."
            )
    found: tuple[torch.Tensor | None, ...] = _engine.run_backward(
        tuple(outputs),
        tuple(seeds),
        create_graph,
        create_graph,
        tuple(wanted),
        allow_unreachable=True,
        accumulate_grad=False,
    )
    return found


def each_case(request: Request, one: Callable[[Request], Request]) -> Request:
    """Every case by itself: an exception in one is the answer to that one."""
    results = []
    for case in request["cases"]:
        try:
            results.append(one(case))
        except BaseException as error:  # an attempt may raise anything
            results.append({"error": describe(error)})
    return {"results": results}


def forward(function: Any, request: Request, tensors: list[torch.Tensor], out: Outgoing) -> Request:
    """Outputs of each case, and the arguments as forward left them."""

    def one(case: Request) -> Request:
        arguments = take_arguments(case, tensors)
        outputs = call_on(function, arguments)
        answer: Request = {"outputs": [out.put(o) for o in outputs]}
        if request.get("keep"):
            answer["args"] = [
                out.put(a) if isinstance(a, torch.Tensor) else None for a in arguments
            ]
        return answer

    base = torch.autograd.Function.setup_context
    return {**each_case(request, one), "apart": function.setup_context is not base}


def watched_by(
    function: Any, log: list[Any] | None = None, watching: watch.Watching | None = None
) -> Any:
    """A subclass whose backward is the same, is watched, and leaves what it returned in ``log``."""
    original = function.backward

    def backward(ctx: Any, *gradients: Any) -> Any:
        with watching or watch.Watching("backward"):
            returned = original(ctx, *gradients)
        if log is not None:
            log.append(returned)
        return returned

    return type(function)(function.__name__, (function,), {"backward": staticmethod(backward)})


def shape_of(value: Any) -> Any:
    """What is told of one returned value: None, a tensor's shape, or a type's name."""
    if value is None:
        return None
    if isinstance(value, torch.Tensor):
        return {"shape": list(value.shape)}
    return {"type": type(value).__name__[:80]}


def backward(
    function: Any, request: Request, tensors: list[torch.Tensor], out: Outgoing
) -> Request:
    """Gradients of each case, what backward itself returned, and what it left behind."""

    def one(case: Request) -> Request:
        log: list[Any] = []
        arguments, seeds = take_arguments(case, tensors), take_seeds(case, tensors)
        watching = watch.Watching("backward", seeds)
        outputs = call_on(watched_by(function, log, watching), arguments)
        versions = [seed._version for seed in seeds]
        gradients = gradients_of(outputs, wanted_of(arguments), seeds)
        answer: Request = {"grads": [out.put(g) for g in gradients]}
        if request.get("watch"):
            returned = log[-1] if log else None
            answer["returned"] = [shape_of(r) for r in parts_of(returned)]
            answer["outputs"] = [out.put(o) for o in outputs]
            answer["seeds"] = [out.put(s) for s in seeds]
            counted = zip(seeds, versions, watching.writes, strict=True)
            answer["writes"] = [max(s._version - v, writes) for s, v, writes in counted]
            answer["args"] = [
                out.put(a) if isinstance(a, torch.Tensor) else None for a in arguments
            ]
        return answer

    return each_case(request, one)


def double(function: Any, request: Request, tensors: list[torch.Tensor], out: Outgoing) -> Request:
    """Gradients of <gradients, v> with respect to the arguments and grad_output."""

    def one(case: Request) -> Request:
        arguments, seeds = take_arguments(case, tensors), take_seeds(case, tensors)
        seeds = [seed.requires_grad_() for seed in seeds]
        outputs = call_on(watched_by(function), arguments)
        wanted = wanted_of(arguments)
        first = gradients_of(outputs, wanted, seeds, create_graph=True)
        total = sum(
            (g * tensors[v["t"]]).sum()
            for g, v in zip(first, case["second"], strict=True)
            if g is not None
        )
        second = gradients_of([total], [*wanted, *seeds], [torch.ones_like(total)])
        return {"grads": [out.put(g) for g in second]}

    return each_case(request, one)
