"""One function for each question that the grader asks of a loaded Function.

Each takes the Function, the request, its tensors and the tray for tensors that go back, and
returns plain data.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import traceback
import types
import weakref
from typing import TYPE_CHECKING, Any

import torch
from torch.overrides import TorchFunctionMode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Request = dict[str, Any]
_SENT = {torch.float64, torch.float32, torch.float16, torch.int64, torch.int32, torch.bool}
_engine = torch.autograd.Variable._execution_engine
_hooks = torch.autograd.graph.saved_tensors_hooks
_apply = torch.autograd.Function.__dict__["apply"].__func__
FILE = "attempt.py"
_TEXT = 2000


def describe(error: BaseException) -> dict[str, Any]:
    """An exception as plain data: type, text, the attempt's line nearest to where it was raised."""
    line = 0
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename == FILE:
            line = frame.lineno or 0
    if isinstance(error, SyntaxError) and error.filename == FILE:
        line = error.lineno or 0
    number = getattr(error, "errno", None)
    return {
        "type": type(error).__name__[:80],
        "text": str(error)[:_TEXT],
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


def laid_out(tensor: torch.Tensor, layout: str) -> torch.Tensor:
    """The same values in another memory layout."""
    if layout == "transposed" and tensor.dim() > 1:
        return tensor.transpose(0, -1).contiguous().transpose(0, -1)
    if layout in ("strided", "transposed") and tensor.dim():
        wide = torch.zeros((*tensor.shape[:-1], tensor.shape[-1] * 2), dtype=tensor.dtype)
        wide[..., ::2] = tensor
        return wide[..., ::2]
    return tensor.clone()


def _arguments(case: Request, tensors: list[torch.Tensor]) -> list[Any]:
    """The positional arguments of one call; tensors are fresh leaves."""
    made: list[Any] = []
    for argument in case["args"]:
        if "t" in argument:
            tensor = laid_out(tensors[argument["t"]], argument.get("layout", ""))
            made.append(tensor.requires_grad_(argument.get("grad", False)))
        else:
            made.append(argument["v"])
    return made


def _seeds(case: Request, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    return [laid_out(tensors[seed["t"]], seed.get("layout", "")) for seed in case["seeds"]]


def _wanted(arguments: list[Any]) -> list[torch.Tensor]:
    return [a for a in arguments if isinstance(a, torch.Tensor) and a.requires_grad]


def _outputs(value: Any) -> list[Any]:
    """The parts of a tuple or list as the engine reads them: a subclass cannot show others."""
    if isinstance(value, tuple):
        return list(tuple.__getitem__(value, slice(None)))
    return list.__getitem__(value, slice(None)) if isinstance(value, list) else [value]


def _call(function: Any, arguments: list[Any]) -> list[Any]:
    return _outputs(_apply(function, *arguments))


def _grad(
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


def _each(request: Request, one: Callable[[Request], Request]) -> Request:
    """Every case by itself: an exception in one is the answer to that one."""
    results = []
    for case in request["cases"]:
        try:
            results.append(one(case))
        except BaseException as error:
            results.append({"error": describe(error)})
    return {"results": results}


def forward(function: Any, request: Request, tensors: list[torch.Tensor], out: Outgoing) -> Request:
    """Outputs of each case, and the arguments as forward left them."""

    def one(case: Request) -> Request:
        arguments = _arguments(case, tensors)
        outputs = _call(function, arguments)
        answer: Request = {"outputs": [out.put(o) for o in outputs]}
        if request.get("keep"):
            answer["args"] = [
                out.put(a) if isinstance(a, torch.Tensor) else None for a in arguments
            ]
        return answer

    return _each(request, one)


def _watched(function: Any, log: list[Any], around: Any = None) -> Any:
    """A subclass whose backward is the same, and leaves what it returned in ``log``."""
    original = function.backward

    def backward(ctx: Any, *gradients: Any) -> Any:
        with around or contextlib.nullcontext():
            returned = original(ctx, *gradients)
        log.append(returned)
        return returned

    return type(function)(function.__name__, (function,), {"backward": staticmethod(backward)})


def _shape_of(value: Any) -> Any:
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
        arguments, seeds = _arguments(case, tensors), _seeds(case, tensors)
        outputs = _call(_watched(function, log) if request.get("watch") else function, arguments)
        versions = [seed._version for seed in seeds]
        gradients = _grad(outputs, _wanted(arguments), seeds)
        answer: Request = {"grads": [out.put(g) for g in gradients]}
        if request.get("watch"):
            returned = log[-1] if log else None
            answer["returned"] = [_shape_of(r) for r in _outputs(returned)]
            answer["outputs"] = [out.put(o) for o in outputs]
            answer["seeds"] = [out.put(s) for s in seeds]
            answer["writes"] = [s._version - v for s, v in zip(seeds, versions, strict=True)]
            answer["args"] = [
                out.put(a) if isinstance(a, torch.Tensor) else None for a in arguments
            ]
        return answer

    return _each(request, one)


def double(function: Any, request: Request, tensors: list[torch.Tensor], out: Outgoing) -> Request:
    """Gradients of <gradients, v> with respect to the arguments and grad_output."""

    def one(case: Request) -> Request:
        arguments, seeds = _arguments(case, tensors), _seeds(case, tensors)
        seeds = [seed.requires_grad_() for seed in seeds]
        outputs = _call(function, arguments)
        wanted = _wanted(arguments)
        first = _grad(outputs, wanted, seeds, create_graph=True)
        total = sum(
            (g * tensors[v["t"]]).sum()
            for g, v in zip(first, case["second"], strict=True)
            if g is not None
        )
        second = _grad([total], [*wanted, *seeds], [torch.ones_like(total)])
        return {"grads": [out.put(g) for g in second]}

    return _each(request, one)


class _Packed:
    """A saved-tensor hook pair that keeps what it packed, and may unpack something else."""

    def __init__(self) -> None:
        self.saved: list[torch.Tensor] = []
        self.instead: list[torch.Tensor] | None = None
        self.read = 0

    def pack(self, tensor: torch.Tensor) -> int:
        self.saved.append(tensor.detach().clone())
        return len(self.saved) - 1

    def unpack(self, index: int) -> torch.Tensor:
        self.read += 1
        return (self.saved if self.instead is None else self.instead)[index]


def substitute(
    function: Any, request: Request, tensors: list[torch.Tensor], out: Outgoing
) -> Request:
    """Backward of one run with the tensors that another run saved, crossed in both directions.

    Three runs b, c, a: c gets what a saved, then a gets what b saved, so that neither a first-in
    nor a last-in list of one's own can pass for ``save_for_backward``.
    """
    runs = []
    for case in (request["cases"][i] for i in (1, 2, 0)):
        packed = _Packed()
        arguments, seeds = _arguments(case, tensors), _seeds(case, tensors)
        with _hooks(packed.pack, packed.unpack):
            outputs = _call(function, arguments)
        runs.append((packed, outputs, _wanted(arguments), seeds))
    b, c, a = runs
    crossed = []
    for (packed, outputs, wanted, seeds), (other, *_) in ((c, a), (a, b)):
        packed.instead = other.saved
        gradients = _grad(outputs, wanted, seeds)
        crossed.append([out.put(g) for g in gradients])
    return {"crossed": crossed, "packed": len(a[0].saved), "read": a[0].read}


def _inside(value: Any, depth: int = 4) -> Iterator[torch.Tensor]:
    """Tensors that an attribute holds: itself, in containers, closures and objects."""
    if isinstance(value, torch.Tensor):
        yield value
        return
    if depth == 0 or isinstance(value, type | types.ModuleType | str | bytes):
        return
    parts: list[Any] = []
    if isinstance(value, dict):
        parts = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        parts = list(value)
    elif isinstance(value, functools.partial):
        parts = [value.func, *value.args, *value.keywords.values()]
    elif isinstance(value, types.FunctionType):
        cells = value.__closure__ or ()
        parts = [*(value.__defaults__ or ()), *(cell.cell_contents for cell in cells)]
    elif isinstance(value, types.MethodType):
        parts = [value.__self__]
    elif isinstance(value, weakref.ref):
        parts = [value()]
    elif hasattr(value, "__dict__"):
        parts = list(vars(value).values())
    for part in parts:
        yield from _inside(part, depth - 1)


def attributes(
    function: Any, request: Request, tensors: list[torch.Tensor], _out: Outgoing
) -> Request:
    """Names of ctx attributes that hold a tensor after forward."""

    def one(case: Request) -> Request:
        outputs = _call(function, _arguments(case, tensors))
        held = vars(outputs[0].grad_fn)
        names = [
            name[:80] for name, value in held.items() if next(_inside(value), None) is not None
        ]
        return {"names": names}

    return _each(request, one)


def edit(function: Any, request: Request, tensors: list[torch.Tensor], out: Outgoing) -> Request:
    """Gradients when one argument is edited in place between forward and backward."""

    def one(case: Request) -> Request:
        leaves, seeds = _arguments(case, tensors), _seeds(case, tensors)
        copies = [
            leaf.clone() if isinstance(leaf, torch.Tensor) and leaf.requires_grad else leaf
            for leaf in leaves
        ]
        outputs = _call(function, copies)
        with torch.no_grad():
            copies[case["edit"]].mul_(10)
        gradients = _grad(outputs, _wanted(copies), seeds)
        return {"grads": [out.put(g) for g in gradients]}

    return _each(request, one)


def _alive(watched: list[tuple[int, weakref.ref[torch.Tensor], int]], kept: set[int]) -> list[int]:
    """Which arguments still hold memory, by themselves or by another tensor on their storage."""
    storages = set()
    for thing in gc.get_objects():
        # Not isinstance: it asks lazy modules for their class, and they load what they stand for.
        if issubclass(type(thing), torch.Tensor) and id(thing) not in kept:
            with contextlib.suppress(RuntimeError, NotImplementedError):  # a wrapper has no storage
                storages.add(thing.untyped_storage().data_ptr())
    return [index for index, ref, at in watched if ref() is not None or at in storages]


def _with_copies(
    function: Any, case: Request, tensors: list[torch.Tensor]
) -> tuple[list[Any], list[torch.Tensor], list[tuple[int, weakref.ref[torch.Tensor], int]]]:
    """Outputs of a call on copies that nobody else holds; the leaves; what to watch."""
    leaves = _arguments(case, tensors)
    copies = [
        leaf.clone() if isinstance(leaf, torch.Tensor) and leaf.requires_grad else leaf
        for leaf in leaves
    ]
    watched = [
        (index, weakref.ref(copy), copy.untyped_storage().data_ptr())
        for index, copy in enumerate(copies)
        if isinstance(copy, torch.Tensor) and copy.requires_grad
    ]
    return _call(function, copies), _wanted(leaves), watched


def life(function: Any, request: Request, tensors: list[torch.Tensor], _out: Outgoing) -> Request:
    """Which arguments outlive backward, the output's end, and a garbage collection."""
    case = request["cases"][0]
    gc.collect()
    gc.disable()
    seeds = _seeds(case, tensors)
    given = {id(t) for t in tensors}
    outputs, leaves, watched = _with_copies(function, case, tensors)
    after_forward = _alive(watched, given)
    _grad(outputs, leaves, seeds)
    after_backward = _alive(watched, given)
    again = _second(outputs, leaves, seeds)
    del outputs, leaves
    after_output = _alive(watched, given)
    dropped = weakref.ref(_with_copies(function, case, tensors)[0][0])
    cycle = dropped() is not None
    gc.enable()
    gc.collect()
    return {
        "after_forward": after_forward,
        "after_backward": after_backward,
        "after_output": after_output,
        "after_collect": _alive(watched, given),
        "cycle": cycle,
        "again": again,
    }


def _second(outputs: list[Any], leaves: list[torch.Tensor], seeds: list[torch.Tensor]) -> str:
    """What a second backward says; empty where it goes through."""
    try:
        _grad(outputs, leaves, seeds)
    except RuntimeError as error:
        return str(error)[:200]
    return ""


_FREE_NAMES = """__get__ t transpose permute view reshape expand expand_as unsqueeze squeeze size
dim numel contiguous detach is_contiguous is_floating_point type_as"""
_FREE = frozenset(_FREE_NAMES.split())
"""What costs nothing, or next to it: views and questions."""


class _Counting(TorchFunctionMode):
    """Counts the operations that compute something."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0
        self.names: set[str] = set()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        self.count += name not in _FREE
        self.names.add(f"{getattr(func, '__module__', None) or 'torch'}.{name}"[:80])
        return func(*args, **(kwargs or {}))


def work(function: Any, request: Request, tensors: list[torch.Tensor], _out: Outgoing) -> Request:
    """How many operations backward runs, and what it returns, for each choice of what is asked."""

    def one(case: Request) -> Request:
        log: list[Any] = []
        arguments, seeds = _arguments(case, tensors), _seeds(case, tensors)
        counting = _Counting()
        outputs = _call(_watched(function, log, counting), arguments)
        _grad(outputs, _wanted(arguments), seeds)
        returned = [_shape_of(r) for r in _outputs(log[-1] if log else None)]
        return {"operations": counting.count, "returned": returned}

    return _each(request, one)


def calls(function: Any, request: Request, tensors: list[torch.Tensor], _out: Outgoing) -> Request:
    """The dotted names of what forward and backward call, however they came by it."""
    case = request["cases"][0]
    within, after = _Counting(), _Counting()
    arguments, seeds = _arguments(case, tensors), _seeds(case, tensors)
    with within:
        outputs = _call(_watched(function, [], after), arguments)
    if request["seeds"]:
        _grad(outputs, _wanted(arguments), seeds)
    return {"forward": sorted(within.names), "backward": sorted(after.names)}


ACTS = {
    "calls": calls,
    "forward": forward,
    "backward": backward,
    "double": double,
    "substitute": substitute,
    "attributes": attributes,
    "edit": edit,
    "life": life,
    "work": work,
}


def warm() -> None:
    """Run everything once on a Function of no interest: what torch loads late is loaded now."""

    class Plain(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x.mm(x) + x.t().sum(0)

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            return grad.mm(x) * 2.0

    tensors = [torch.ones(2, 2, dtype=torch.float64)]
    case = {"args": [{"t": 0, "grad": True}], "seeds": [{"t": 0}], "second": [{"t": 0}], "edit": 0}
    for act in ACTS.values():
        act(Plain, {"cases": [case] * 3, "watch": True, "seeds": True}, tensors, Outgoing())
