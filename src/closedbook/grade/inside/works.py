"""How much backward does: the act that counts operations."""

from __future__ import annotations

from typing import Any

import seen  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox
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


def work(function: Any, request: Request, tensors: list[torch.Tensor], _out: Outgoing) -> Request:
    """How many operations backward runs, and what it returns, for each choice of what is asked."""

    def one(case: Request) -> Request:
        log: list[Any] = []
        arguments, seeds = take_arguments(case, tensors), take_seeds(case, tensors)
        counting = seen.Watching("backward")
        outputs = call_on(watched_by(function, log, counting), arguments)
        gradients_of(outputs, wanted_of(arguments), seeds)
        returned = [shape_of(r) for r in parts_of(log[-1] if log else None)]
        return {"operations": counting.count, "returned": returned}

    return each_case(request, one)
