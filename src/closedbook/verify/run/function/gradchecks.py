"""gradcheck and gradgradcheck as verdicts: in double, eps=1e-6, atol=1e-4, slow mode."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck

from closedbook.verify.run.facts import Verdict
from closedbook.verify.run.limit import from_outside
from closedbook.verify.run.scrub import scrub

EPS = 1e-6
ATOL = 1e-4
_TOO_SMALL = 10 * ATOL
"""Of arguments that are smaller, a gradient twice as large as it should be may lie within ATOL."""
_WHERE = re.compile(r"(?:for|of) output (\d+) with respect to input (\d+)")


def check_gradients(
    name: str, function: Callable[..., Any], arguments: Sequence[Any], root: Path
) -> Verdict:
    """Run the check of that name on ``function`` at ``arguments``, which it may use up.

    ``output`` and ``input`` are numbered as the message does: inputs that require grad only.
    """
    check = gradcheck if name == "gradcheck" else gradgradcheck
    empty = _shows_nothing(arguments)
    try:
        check(function, tuple(arguments), eps=EPS, atol=ATOL, raise_exception=True)
    except GradcheckError as error:
        return _failed(scrub(str(error), root))
    except BaseException as error:  # the Function may raise anything while it is checked
        if from_outside(error):
            raise
        return _failed(scrub(f"{type(error).__name__}: {error}", root))
    return Verdict(passes=True, empty=empty)


def _shows_nothing(arguments: Sequence[Any]) -> str:
    """Why a gradcheck at these arguments cannot fail; empty where it can.

    It may use them up, so this is asked before.
    """
    tensors = [a for a in arguments if isinstance(a, torch.Tensor) and a.requires_grad]
    if any(not tensor.numel() for tensor in tensors):
        return "an argument has no elements, so there is nothing to check"
    if tensors and not any(bool(tensor.any()) for tensor in tensors):
        return "every argument is 0 throughout, where a wrong factor makes no difference"
    if tensors and all(float(tensor.detach().abs().max()) < _TOO_SMALL for tensor in tensors):
        return f"every argument is below {_TOO_SMALL:g} throughout, where no wrong factor shows"
    return ""


def _failed(message: str) -> Verdict:
    where = _WHERE.search(message)
    if where is None:
        return Verdict(passes=False, message=message)
    return Verdict(passes=False, message=message, output=int(where[1]), input=int(where[2]))
