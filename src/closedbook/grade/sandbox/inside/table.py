"""Every question that may be asked, one row each."""

from __future__ import annotations

from typing import Any

import acts  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox
import perturb  # type: ignore[import-not-found]  # likewise
import saved  # type: ignore[import-not-found]  # likewise
import torch
import watch  # type: ignore[import-not-found]  # likewise

ACTS = {
    "forward": acts.forward,
    "backward": acts.backward,
    "double": acts.double,
    "pack": saved.pack,
    "substitute": saved.substitute,
    "attributes": saved.attributes,
    "edit": saved.edit,
    "life": saved.life,
    "work": perturb.work,
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
    watch.watch_the_engine()
    for act in ACTS.values():
        request = {"cases": [case] * 3, "watch": True, "factors": [2.0]}
        act(Plain, request, tensors, acts.Outgoing())
