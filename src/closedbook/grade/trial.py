"""What every probe of one Function works with: the attempt, the reference, and shared runs."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from closedbook.grade.draws import Case, Drawer
from closedbook.grade.runner import Answer, Query, Runner
from closedbook.grade.text import lines
from closedbook.grade.verdict import Reason

if TYPE_CHECKING:
    import torch

    from closedbook.grade.reference import Reference
    from closedbook.grade.text.outline import Outline

_CLOSE = {"float64": (1e-7, 1e-9), "float32": (1e-4, 1e-5)}


@dataclass
class Trial:
    """One Function of one attempt, and the reference that it is compared with.

    ``shown`` is the name for the reader, ``function`` the class in the attempt.
    """

    runner: Runner
    outline: Outline
    reference: Reference
    drawer: Drawer
    function: str
    forbid: tuple[str, ...]
    memo: dict[str, Reason | None] = field(default_factory=dict)
    """Findings that more than one probe asks for."""
    called: dict[str, set[str]] = field(default_factory=dict)
    """Method -> the dotted names of what it called in the runs so far."""
    apart: bool = False
    """Whether torch itself found a ``setup_context``; known when :attr:`forwards` is."""

    @property
    def ctx_apart(self) -> bool:
        """Whether the attempt has ``setup_context``."""
        return self.outline.method(self.function, "setup_context") is not None

    def argument(self, place: int) -> str:
        """The name of an argument of forward."""
        return self.reference.arguments[place].name

    def ask(self, *queries: Query) -> list[Answer]:
        """Questions in one fresh process."""
        answers = self.runner.ask(self.function, queries)
        for answer in answers:
            told = answer.body.get("called")
            for method, names in (told if isinstance(told, dict) else {}).items():
                listed = names if isinstance(names, list) else []
                self.called.setdefault(method, set()).update(n for n in listed if type(n) is str)
        return answers

    def seeded(self, case: Case) -> Case:
        """The case with a drawn ``grad_output``."""
        return self.drawer.seeded(case, self.reference.outputs(case))

    @functools.cached_property
    def cases(self) -> list[Case]:
        """The cases that the reference itself can run."""
        usable = []
        for case in self.drawer.many():
            try:
                usable.append(self.seeded(case))
            except RuntimeError:
                continue  # such a size is no input of this Function
        return usable

    @functools.cached_property
    def usual(self) -> Case:
        """One case like any other."""
        return self.cases[0]

    @functools.cached_property
    def forwards(self) -> list[Answer]:
        """Forward of every case."""
        (answer,) = self.ask(Query("forward", self.cases, {"keep": True}))
        self.apart = answer.body.get("apart") is True
        return answer.each(len(self.cases))

    @functools.cached_property
    def backward_cases(self) -> list[Case]:
        """Every case with all gradients asked for, and the usual one with each alone."""
        alone = [self.usual.only(place) for place in self.usual.tensors()]
        return [*self.cases, *(alone if len(alone) > 1 else [])]

    @functools.cached_property
    def backwards(self) -> list[Answer]:
        """Backward of every case, watched."""
        (answer,) = self.ask(Query("backward", self.backward_cases, {"watch": True}))
        return answer.each(len(self.backward_cases))

    def failed(self, answer: Answer, expected: str, case: Case | None = None) -> Reason:
        """The reason for an answer that did not come."""
        where = str(case) if case else ""
        return Reason(expected, answer.failure, answer.line, where, no_answer=True)


def gradient_line(trial: Trial, place: int) -> int:
    """The line that makes the gradient of one argument."""
    return lines.return_line(trial.outline, trial.function, "backward", place)


def shape(tensor: torch.Tensor | None) -> str:
    """``(5, 4)``, or ``None``."""
    return "None" if tensor is None else str(tuple(tensor.shape))


def difference(seen: torch.Tensor | None, expected: torch.Tensor | None) -> tuple[str, str] | None:
    """What was expected and what was seen, where two values do not agree; None where they do."""
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
    apart = (seen.double() - expected.double()).abs().nan_to_num(math.inf)
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
