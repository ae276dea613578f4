"""What backward works out, and which of it the gradients depend on.

Every value that an operation of backward makes is written down. Then backward runs again, once
for each of these values, with that value scaled: where the gradients stay as they were, nothing
that is returned depends on it. What follows from that is decided by the grader.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass, field
from typing import Any

import acts  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox
import seen  # type: ignore[import-not-found]  # likewise
import torch
from acts import Outgoing, Request  # likewise
from torch.utils._python_dispatch import TorchDispatchMode

_FREE_NAMES = """alias arange as_strided clone contiguous copy_ detach empty empty_like
empty_permuted empty_strided eye fill_ full full_like lift_fresh lift_fresh_copy new_empty
new_empty_strided new_full new_ones new_zeros ones ones_like scalar_tensor zero_ zeros zeros_like
_to_copy"""
_FREE = frozenset(_FREE_NAMES.split())
"""Operations that work nothing out: copies and constants. Views are told by their memory."""
_READS = {"tolist": "tolist", "numpy": "numpy", "__array__": "numpy"}
"""Ways for the numbers of a tensor to leave it, past the operations."""
_MOST = 48
_ALL = 6000
_DIGITS = 3


@dataclass
class _Made:
    """One value that an operation made: by which, where in the attempt, and what it was."""

    name: str
    line: int
    value: torch.Tensor

    def key(self) -> tuple[Any, ...] | None:
        """Equal for values that are alike up to scale, sign and order; None where all are zero."""
        flat = self.value.flatten()
        if flat.dtype is torch.bool:
            return ("bool", *flat.tolist())
        flat = flat.double()
        largest = flat.abs().max() if flat.numel() else torch.zeros(())
        if not torch.isfinite(largest) or not largest:
            return None
        if flat.numel() == 1:  # all single numbers are alike up to scale
            return (f"{flat.item():.6g}",)
        return tuple((flat.abs().sort().values / largest).mul(10**_DIGITS).round().tolist())


@dataclass
class _Record:
    """What one backward made, and which of it is to be scaled by how much."""

    change: dict[int, float] = field(default_factory=dict)
    made: list[_Made] = field(default_factory=list)
    quiet: bool = False

    def note(self, name: str, value: torch.Tensor) -> float | None:
        """Write a value down; the factor by which it is to be scaled."""
        self.made.append(_Made(name, _line(), value.detach().clone()))
        return self.change.get(len(self.made) - 1)


class _Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch has no types there
    """Sees every operation below autograd."""

    def __init__(self, record: _Record) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # likewise
        self.record = record

    def _see(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        name = func.overloadpacket.__name__
        if name in _FREE or self.record.quiet:
            return out
        if isinstance(out, bool | float):
            factor = self.record.note("item", torch.tensor(out))
            return out if factor is None else (not out if isinstance(out, bool) else out * factor)
        owned = set() if func._schema.is_mutable else _memory([*args, *kwargs.values()])
        for tensor in out if isinstance(out, tuple | list) else [out]:
            computed = isinstance(tensor, torch.Tensor) and _at(tensor) not in owned
            if computed and (tensor.is_floating_point() or tensor.dtype is torch.bool):
                factor = self.record.note(name, tensor)
                if factor is not None:
                    _scale(tensor, factor)
        return out


# Set afterwards: torch wraps what stands in the class, and loads its compiler to run the wrapper.
setattr(_Operations, "__torch_dispatch__", _Operations._see)  # noqa: B010  no new method for mypy


class _Reads(seen.Watching):  # type: ignore[misc]  # its module is found in the sandbox alone
    """Sees numbers leave their tensors."""

    def __init__(self, record: _Record) -> None:
        super().__init__("backward")
        self.record = record

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = _READS.get(getattr(func, "__name__", ""))
        if name is not None and args and args[0].is_floating_point():
            self.record.quiet = True
            factor = self.record.note(name, args[0])
            if factor is not None:
                args = (args[0] * factor, *args[1:])
            self.record.quiet = False
        return super().__torch_function__(func, types, args, kwargs)


class _Both:
    """The two views together, for the time of one backward."""

    def __init__(self, record: _Record) -> None:
        self._modes: list[Any] = [_Reads(record), _Operations(record)]

    def __enter__(self) -> None:
        for mode in self._modes:
            mode.__enter__()

    def __exit__(self, *about: object) -> None:
        for mode in reversed(self._modes):
            mode.__exit__(*about)


def _at(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


def _memory(values: list[Any]) -> set[int]:
    """Where the tensors among some arguments lie."""
    found = set()
    for value in values:
        if isinstance(value, torch.Tensor):
            found.add(_at(value))
        elif isinstance(value, tuple | list):
            found |= _memory([*value])
    return found


def _scale(tensor: torch.Tensor, factor: float) -> None:
    if tensor.dtype is torch.bool:
        tensor.logical_not_()
    else:
        tensor.mul_(factor)


def _line() -> int:
    """The line of the attempt that is running now."""
    frame: Any = sys._getframe()
    while frame is not None and frame.f_code.co_filename != acts.FILE:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else 0


def _run(
    function: Any, case: Request, tensors: list[torch.Tensor], change: dict[int, float]
) -> tuple[_Record, list[Any], tuple[torch.Tensor | None, ...]]:
    """One backward: what it made, what it returned, and the gradients."""
    record, log = _Record(change), []  # type: tuple[_Record, list[Any]]
    random.seed(0)
    torch.manual_seed(0)
    arguments, seeds = acts.take_arguments(case, tensors), acts.take_seeds(case, tensors)
    outputs = acts.call_on(acts.watched_by(function, log, _Both(record)), arguments)
    gradients = acts.gradients_of(outputs, acts.wanted_of(arguments), seeds)
    return record, acts.parts_of(log[-1] if log else None), gradients


def work(function: Any, request: Request, tensors: list[torch.Tensor], out: Outgoing) -> Request:
    """For each case what backward returned, and for each value what scaling it comes to.

    ``factors`` are the scales. ``look`` holds values: only what is alike is scaled, and ``like``
    says which of them it is; without it all values that there are, or a sample where that would
    be too many. A run that raises counts
    as one that changes nothing: what only a check of the attempt's own depends on is not returned.
    """
    wanted: dict[Any, list[int]] = {}
    for number, t in enumerate(request.get("look", ())):
        wanted.setdefault(_Made("", 0, tensors[t]).key(), []).append(number)

    def one(case: Request) -> Request:
        record, returned, gradients = _run(function, case, tensors, {})
        alike: dict[tuple[Any, ...], list[int]] = {}
        for index, made in enumerate(record.made):
            key = made.key()
            if key is not None and (not wanted or key in wanted):
                alike.setdefault(key, []).append(index)
        most = max(8, min(_MOST, _ALL // max(1, len(record.made))))
        chosen = list(alike.values())
        if len(chosen) > most:
            chosen = random.Random().sample(chosen, most)  # noqa: S311  nobody may foresee which
        values = []
        for indices in chosen if request["factors"] else ():
            made = record.made[indices[0]]
            scaled = []
            for factor in request["factors"]:
                try:
                    found = _run(function, case, tensors, dict.fromkeys(indices, factor))[2]
                except BaseException:  # an attempt's own check may raise anything
                    found = gradients
                scaled.append([out.put(g) for g in found])
            value = out.put(made.value if made.value.dtype is torch.bool else made.value.double())
            told = {"name": made.name, "line": made.line, "value": value, "then": scaled}
            values.append({**told, "like": wanted.get(made.key(), [])})
        return {
            "returned": [acts.shape_of(r) for r in returned],
            "grads": [out.put(g) for g in gradients],
            "values": values,
        }

    return acts.each_case(request, one)
