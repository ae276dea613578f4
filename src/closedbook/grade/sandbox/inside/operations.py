"""Sees what backward makes: each value that an operation works out, and numbers that leave."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Any

import acts  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox
import torch
import watch  # type: ignore[import-not-found]  # likewise
from torch.utils._python_dispatch import TorchDispatchMode

_FREE_NAMES = """alias arange as_strided clone contiguous copy_ detach empty empty_like
empty_permuted empty_strided eye fill_ full full_like lift_fresh lift_fresh_copy new_empty
new_empty_strided new_full new_ones new_zeros ones ones_like scalar_tensor zero_ zeros zeros_like
_to_copy"""
_FREE = frozenset(_FREE_NAMES.split())
"""Operations that work nothing out: copies and constants. Views are told by their memory."""
_READS = {"tolist": "tolist", "numpy": "numpy", "__array__": "numpy"}
"""Ways for the numbers of a tensor to leave it, past the operations."""
_DIGITS = 3
"""Decimals of the largest number in which two values are alike: in another order of the same
operations they still are."""


@dataclass
class MadeValue:
    """One value that an operation made: by which, where in the attempt, and what it was."""

    name: str
    line: int
    value: torch.Tensor

    def key(self) -> tuple[Any, ...] | None:
        """Equal for values that are alike up to scale, sign and order; None where all are zero."""
        flat = self.value.flatten()
        if flat.dtype is torch.bool:
            return ("bool", *flat.tolist())
        flat = (torch.view_as_real(flat).flatten() if flat.is_complex() else flat).double()
        flat = torch.where(flat.isfinite(), flat, 0.0)  # what is no number hides nothing beside it
        largest = flat.abs().max() if flat.numel() else torch.zeros(())
        if not largest:
            return None
        if flat.numel() == 1:  # all single numbers are alike up to scale
            return (f"{flat.item():.6g}",)
        return tuple((flat.abs().sort().values / largest).mul(10**_DIGITS).round().tolist())


@dataclass
class Record:
    """What one backward made, and which of it is to be scaled by how much."""

    change: dict[int, float] = field(default_factory=dict)
    made: list[MadeValue] = field(default_factory=list)
    quiet: bool = False

    def note(self, name: str, value: torch.Tensor) -> float | None:
        """Write a value down; the factor by which it is to be scaled."""
        self.made.append(MadeValue(name, _line(), value.detach().clone()))
        return self.change.get(len(self.made) - 1)


class _Operations(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch has no types there
    """Sees every operation below autograd."""

    def __init__(self, record: Record) -> None:
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
            if isinstance(tensor, torch.Tensor) and watch.address(tensor) not in owned:
                factor = self.record.note(name, tensor)
                if factor is not None:
                    _scale(tensor, factor)
        return out


# Set afterwards: torch wraps what stands in the class, and loads its compiler to run the wrapper.
setattr(_Operations, "__torch_dispatch__", _Operations._see)  # noqa: B010  no new method for mypy


class _Reads(watch.Watching):  # type: ignore[misc]  # its module is found in the sandbox alone
    """Sees numbers leave their tensors."""

    def __init__(self, record: Record) -> None:
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


class Both:
    """The two views together, for the time of one backward."""

    def __init__(self, record: Record) -> None:
        self._modes: list[Any] = [_Reads(record), _Operations(record)]

    def __enter__(self) -> None:
        for mode in self._modes:
            mode.__enter__()

    def __exit__(self, *about: object) -> None:
        for mode in reversed(self._modes):
            mode.__exit__(*about)


def _memory(values: list[Any]) -> set[int]:
    """Where the tensors among some arguments lie."""
    found = set()
    for value in values:
        if isinstance(value, torch.Tensor):
            found.add(watch.address(value))
        elif isinstance(value, tuple | list):
            found |= _memory([*value])
    return found


def _scale(tensor: torch.Tensor, factor: float) -> None:
    if tensor.dtype is torch.bool:
        tensor.logical_not_()
    elif not (tensor.is_floating_point() or tensor.is_complex()):
        tensor.neg_()
    else:
        tensor.mul_(factor)


def _line() -> int:
    """The line of the attempt that is running now."""
    frame: Any = sys._getframe()
    while frame is not None and frame.f_code.co_filename != acts.FILE:
        frame = frame.f_back
    return frame.f_lineno if frame is not None else 0
