"""Whether two tensors agree, and in what they differ."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

_CLOSE = {"float64": (1e-7, 1e-9), "float32": (1e-4, 1e-5)}
"""dtype -> rtol, atol: sums in another order agree, what was computed in a smaller dtype does not.
Any other dtype has to agree exactly."""


def shape(tensor: torch.Tensor | None) -> str:
    """``(5, 4)``, or ``None``."""
    return "None" if tensor is None else str(tuple(tensor.shape))


def difference(seen: torch.Tensor | None, expected: torch.Tensor | None) -> tuple[str, str] | None:
    """What was expected and what was seen, where two values do not agree; None where they do.

    Of any shape and dtype: where the attempt gave both, neither need be what it should be.
    """
    import torch

    if seen is None or expected is None:
        if seen is expected:
            return None
        known = seen if seen is not None else expected
        shown = f"a tensor of shape {shape(known)}"
        return ("None", shown) if expected is None else (shown, "None")
    if seen.shape != expected.shape:
        return f"shape {shape(expected)}", f"shape {shape(seen)}"
    if seen.dtype != expected.dtype:
        return str(expected.dtype), str(seen.dtype)
    rtol, atol = _CLOSE.get(str(expected.dtype).removeprefix("torch."), (0.0, 0.0))
    if torch.allclose(seen, expected, rtol=rtol, atol=atol, equal_nan=True):
        return None
    return _worst(seen, expected)


def _worst(seen: torch.Tensor, expected: torch.Tensor) -> tuple[str, str]:
    """The two values where they are furthest apart, and a guess at how the tensors are related."""
    import torch

    kind = torch.complex128 if expected.is_complex() else torch.float64
    apart = (seen.to(kind) - expected.to(kind)).abs().nan_to_num(math.inf)
    flat = int(apart.flatten().argmax())
    at = _index(flat, expected.shape)
    where = f" at {at}" if at else ""
    one, other = expected.flatten()[flat].item(), seen.flatten()[flat].item()
    if f"{one:.5g}" == f"{other:.5g}":
        return f"{one:.12g}{where}", f"{other:.12g}: was it computed in a smaller dtype?"
    return f"{one:.5g}{where}", f"{other:.5g}{relation(seen, expected)}"


def relation(seen: torch.Tensor, expected: torch.Tensor) -> str:
    """`` (the sign is wrong)``: what the seen tensor is of the expected one, where it is plain."""
    import torch

    def same(other: torch.Tensor) -> bool:
        return other.shape == seen.shape and torch.allclose(seen, other, rtol=1e-4, atol=1e-6)

    if not seen.any():
        return ", all zeros"
    if not expected.is_floating_point():
        return ""
    if same(-expected):
        return ", the negative everywhere"
    if expected.dim() == 2 and same(expected.t()):
        return ", the transpose"
    ratio = (seen / expected).flatten()
    finite = ratio.numel() > 1 and bool(torch.isfinite(ratio).all())
    if finite and torch.allclose(ratio, ratio[0].expand_as(ratio), rtol=1e-4):
        return f", {ratio[0].item():.4g} times as much everywhere"
    return ""


def _index(flat: int, sizes: Sequence[int]) -> str:
    """``[2, 0]`` for a position in the flattened tensor."""
    index = []
    for size in reversed(list(sizes)):
        index.append(flat % size)
        flat //= size
    return str(list(reversed(index))) if index else ""
