"""A bank of a few generators, written where a test wants it, and jobs for it in one line."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path
from typing import Any

from closedbook.model.expect import Equals, Expectation
from closedbook.model.value import Number, Shape, TensorSpec
from closedbook.verify.job import Job, Outcome, Setup
from closedbook.verify.workers.chunk import run_chunk

_DEFINED = re.compile(r"^(?:class|def) (\w+)", re.MULTILINE)

LINEAR = """
import torch
from closedbook import flawed, reference

@reference(example={"input": (5, 4), "weight": (3, 4), "bias": (3,)})
class Linear(torch.autograd.Function):
    @staticmethod
    def forward(input, weight, bias=None):
        output = input.mm(weight.t())
        return output if bias is None else output + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(inputs[0], inputs[1])

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        grad_bias = grad_output.sum(0) if ctx.needs_input_grad[2] else None
        return grad_output.mm(weight), grad_output.t().mm(input), grad_bias


@flawed(of=Linear, caught_by="gradcheck")
class LinearZeroBias(Linear):
    @staticmethod
    def backward(ctx, grad_output):
        grad_input, grad_weight, grad_bias = Linear.backward(ctx, grad_output)
        return grad_input, grad_weight, torch.zeros_like(grad_bias)
"""


class SmallBank:
    """A folder with ``generators/``; ``add`` writes a file and makes its names known."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.paths: dict[str, str] = {}
        self.version = 0

    def add(self, path: str, text: str) -> SmallBank:
        """Write ``generators/<path>``."""
        file = self.root / "generators" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        source = textwrap.dedent(text)
        file.write_text(source, encoding="utf-8")
        self.paths |= dict.fromkeys(_DEFINED.findall(source), f"generators/{path}")
        self.version += 1
        return self

    @property
    def setup(self) -> Setup:
        """The setup of a run on the files as they are now."""
        return Setup(self.root, dict(self.paths), str(self.version))

    def run(self, *jobs: Job) -> list[Outcome]:
        """Run jobs as one chunk."""
        return run_chunk(self.setup, jobs)

    def outcome(self, run: str, arguments: dict[str, Any] | None = None, **rest: Any) -> Outcome:
        """Run one job; plain Python stands for what YAML says."""
        return self.run(job(run, arguments, **rest))[0]


def job(
    run: str,
    arguments: dict[str, Any] | None = None,
    expect: dict[str, Any] | None = None,
    **rest: Any,
) -> Job:
    """Make a job; a tuple is a shape, a list a tensor's values, a number a number."""
    given = {name: _value(value) for name, value in (arguments or {}).items()}
    wanted = {name: equals(value) for name, value in (expect or {}).items()}
    return Job(rest.pop("key", run), run, given, wanted, **rest)


def _value(value: Any) -> Any:
    if isinstance(value, tuple):
        return Shape(value)
    if isinstance(value, list):
        return TensorSpec(values=value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Number(value, repr(value))
    return value


def equals(value: Any) -> Expectation:
    """Return the expectation that a plain value stands for; expectations stay as they are."""
    if isinstance(value, Expectation):
        return value
    if isinstance(value, tuple):
        return Equals(Shape(value), str(value))
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Equals(Number(value, repr(value)), repr(value))
    return Equals(value, str(value))


def said(outcome: Outcome) -> list[str]:
    """Return what did not hold, one line each, as a report words it."""
    lines = [f"{m.fact}: expected {m.expected}, observed {m.observed}" for m in outcome.mismatches]
    return [*lines, *([outcome.error] if outcome.error else [])]
