"""What forward and backward do: the acts that count and name operations."""

from __future__ import annotations

from typing import Any

import torch
from acts import (  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox
    Outgoing,
    Request,
    call_on,
    each_case,
    gradients_of,
    parts_of,
    shape_of,
    take_arguments,
    take_seeds,
    wanted_of,
    watched_by,
)
from torch.overrides import TorchFunctionMode

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
        arguments, seeds = take_arguments(case, tensors), take_seeds(case, tensors)
        counting = _Counting()
        outputs = call_on(watched_by(function, log, counting), arguments)
        gradients_of(outputs, wanted_of(arguments), seeds)
        returned = [shape_of(r) for r in parts_of(log[-1] if log else None)]
        return {"operations": counting.count, "returned": returned}

    return each_case(request, one)


def calls(function: Any, request: Request, tensors: list[torch.Tensor], _out: Outgoing) -> Request:
    """The dotted names of what forward and backward call, however they came by it."""
    case = request["cases"][0]
    within, after = _Counting(), _Counting()
    arguments, seeds = take_arguments(case, tensors), take_seeds(case, tensors)
    with within:
        outputs = call_on(watched_by(function, [], after), arguments)
    if request["seeds"]:
        gradients_of(outputs, wanted_of(arguments), seeds)
    return {"forward": sorted(within.names), "backward": sorted(after.names)}
