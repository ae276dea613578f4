"""What is saved, who sees it, how long it lives: the acts that look at saved tensors."""

from __future__ import annotations

import contextlib
import gc
import sys
import types
import weakref
from dataclasses import dataclass
from typing import Any

import torch
import watch  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox
from acts import (  # type: ignore[import-not-found]  # likewise
    Outgoing,
    Request,
    call_on,
    each_case,
    gradients_of,
    take_arguments,
    take_seeds,
    wanted_of,
)

_hooks = torch.autograd.graph.saved_tensors_hooks


class _Packed:
    """A saved-tensor hook pair that keeps what it packed, and may unpack something else."""

    def __init__(self) -> None:
        self.saved: list[torch.Tensor] = []
        self.instead: list[torch.Tensor] | None = None

    def pack(self, tensor: torch.Tensor) -> int:
        self.saved.append(tensor.detach().clone())
        return len(self.saved) - 1

    def unpack(self, index: int) -> torch.Tensor:
        return (self.saved if self.instead is None else self.instead)[index]


def pack(function: Any, request: Request, tensors: list[torch.Tensor], out: Outgoing) -> Request:
    """What forward saves, as the hooks see it."""

    def one(case: Request) -> Request:
        packed = _Packed()
        with _hooks(packed.pack, packed.unpack):
            call_on(function, take_arguments(case, tensors))
        return {"saved": [out.put(tensor) for tensor in packed.saved]}

    return each_case(request, one)


def substitute(
    function: Any, request: Request, tensors: list[torch.Tensor], out: Outgoing
) -> Request:
    """Gradients of a run to which the hooks give, in place of its own, what another run saved.

    That other run was in another process: nothing of it is here but these tensors.
    """

    def one(case: Request) -> Request:
        packed = _Packed()
        arguments, seeds = take_arguments(case, tensors), take_seeds(case, tensors)
        with _hooks(packed.pack, packed.unpack):
            outputs = call_on(function, arguments)
        packed.instead = [tensors[saved["t"]] for saved in case["second"]]
        if len(packed.instead) != len(packed.saved):
            raise RuntimeError("another run saved another number of tensors")
        gradients = gradients_of(outputs, wanted_of(arguments), seeds)
        return {"grads": [out.put(g) for g in gradients]}

    return each_case(request, one)


_MOST_PARTS = 5000
"""Parts of a value, or numbers of a tensor, that are looked at: far more than what a task hands to
a Function has, and few enough for milliseconds."""


def _holds_a_tensor(value: Any) -> bool:
    """Whether a tensor hangs on a value: itself, in containers, closures, objects, generators."""
    todo, known = [value], set[int]()
    while todo and len(known) < _MOST_PARTS:
        part = todo.pop()
        if isinstance(part, torch.Tensor):
            return True
        if id(part) not in known:
            known.add(id(part))
            todo += _parts(part)
    return False


def _parts(value: Any) -> list[Any]:
    if isinstance(value, type | types.ModuleType | str | bytes):
        return []
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    if isinstance(value, types.FunctionType):
        cells = value.__closure__ or ()
        return [*(value.__defaults__ or ()), *(cell.cell_contents for cell in cells)]
    if isinstance(value, weakref.ref):
        return [value()]
    if isinstance(value, types.BuiltinMethodType):
        return [value.__self__]
    return gc.get_referents(value)  # an object, a partial, a generator: whatever it holds


def attributes(
    function: Any, request: Request, tensors: list[torch.Tensor], _out: Outgoing
) -> Request:
    """Names of ctx attributes that hold a tensor after forward."""

    def one(case: Request) -> Request:
        packed = _Packed()
        with _hooks(packed.pack, packed.unpack):
            outputs = call_on(function, take_arguments(case, tensors))
        held = vars(outputs[0].grad_fn)
        names = [name[:80] for name, value in held.items() if _holds_a_tensor(value)]
        return {"names": names, "packed": len(packed.saved)}

    return each_case(request, one)


def edit(function: Any, request: Request, tensors: list[torch.Tensor], out: Outgoing) -> Request:
    """Gradients when one argument is edited in place between forward and backward."""

    def one(case: Request) -> Request:
        leaves, seeds = take_arguments(case, tensors), take_seeds(case, tensors)
        copies = [
            leaf.clone() if isinstance(leaf, torch.Tensor) and leaf.requires_grad else leaf
            for leaf in leaves
        ]
        outputs = call_on(function, copies)
        with torch.no_grad():
            copies[case["edit"]].mul_(10)
        gradients = gradients_of(outputs, wanted_of(copies), seeds)
        return {"grads": [out.put(g) for g in gradients]}

    return each_case(request, one)


@dataclass(frozen=True)
class _Watched:
    """One argument of a call: where it lies, and what it holds."""

    index: int
    ref: weakref.ref[torch.Tensor]
    place: int
    numbers: set[str]


def _alive(watched: list[_Watched], kept: set[int]) -> list[int]:
    """Which arguments still hold memory, by themselves or by another tensor on their storage."""
    found: dict[int, list[set[str]]] = {}
    for thing in gc.get_objects():
        # Not isinstance: it asks lazy modules for their class, and they load what they stand for.
        if issubclass(type(thing), torch.Tensor) and id(thing) not in kept:
            with contextlib.suppress(RuntimeError, NotImplementedError):  # a wrapper has no storage
                found.setdefault(watch.address(thing), []).append(_numbers(thing))
    # Freed memory is given out again: what lies there has to hold the argument's numbers, too.
    return [
        one.index
        for one in watched
        if one.ref() is not None or any(held <= one.numbers for held in found.get(one.place, ()))
    ]


def _copied(function: Any, values: list[tuple[int, torch.Tensor]]) -> list[int]:
    """Which arguments' numbers are all still held: by a tensor, an array, lists, in any order."""
    own = {watch.address(value) for _, value in values}
    held = set[str]()
    for thing in gc.get_objects():
        if issubclass(type(thing), torch.Tensor):
            with contextlib.suppress(RuntimeError, NotImplementedError):
                if watch.address(thing) not in own:
                    held |= _numbers(thing)
    held |= _kept_by(sys.modules[function.__module__])
    return [index for index, value in values if value.numel() and _numbers(value) <= held]


def _kept_by(module: types.ModuleType) -> set[str]:
    """The numbers that hang on the names of the attempt's file and on its classes."""
    todo, known, numbers = [vars(module)], set[int](), set[str]()  # type: list[Any], set[int], set[str]
    while todo and len(known) < 10 * _MOST_PARTS:
        part = todo.pop()
        if isinstance(part, float):
            numbers.add(_digits(part))
        elif id(part) not in known:
            known.add(id(part))
            if hasattr(type(part), "__array_interface__"):
                part = part.tolist()
            own = isinstance(part, type) and part.__module__ == module.__name__
            todo += list(vars(part).values()) if own else _parts(part)
    return numbers


def _numbers(tensor: torch.Tensor) -> set[str]:
    """What a tensor holds, to as many digits as a smaller dtype keeps, and without sign."""
    if tensor.is_complex():
        tensor = torch.view_as_real(tensor)
    if tensor.numel() > _MOST_PARTS or not tensor.is_floating_point():
        return set()
    return {_digits(number) for number in tensor.detach().flatten().tolist()}


def _digits(number: float) -> str:
    return f"{abs(number):.5e}"


def _with_copies(
    function: Any, case: Request, tensors: list[torch.Tensor]
) -> tuple[list[Any], list[torch.Tensor], list[_Watched]]:
    """Outputs of a call on copies that nobody else holds; the leaves; what to watch."""
    leaves = take_arguments(case, tensors)
    copies = [
        leaf.clone() if isinstance(leaf, torch.Tensor) and leaf.requires_grad else leaf
        for leaf in leaves
    ]
    watched = [
        _Watched(index, weakref.ref(copy), watch.address(copy), _numbers(copy))
        for index, copy in enumerate(copies)
        if isinstance(copy, torch.Tensor) and copy.requires_grad
    ]
    return call_on(function, copies), wanted_of(leaves), watched


def life(function: Any, request: Request, tensors: list[torch.Tensor], _out: Outgoing) -> Request:
    """Which arguments outlive backward, the output's end, and a garbage collection."""
    case = request["cases"][0]
    values = [
        (index, tensors[argument["t"]])
        for index, argument in enumerate(case["args"])
        if argument.get("grad")
    ]
    gc.collect()
    gc.disable()
    seeds = take_seeds(case, tensors)
    given = {id(t) for t in tensors}
    outputs, leaves, watched = _with_copies(function, case, tensors)
    after_forward = _alive(watched, given)
    gradients_of(outputs, leaves, seeds)
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
        "copied": _copied(function, values),
        "cycle": cycle,
        "again": again,
    }


def _second(outputs: list[Any], leaves: list[torch.Tensor], seeds: list[torch.Tensor]) -> str:
    """What a second backward says; empty where it goes through."""
    try:
        gradients_of(outputs, leaves, seeds)
    except RuntimeError as error:
        return str(error)[:200]
    return ""
