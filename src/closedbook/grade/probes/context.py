"""The probe of the contract's form: setup_context apart."""

from __future__ import annotations

import ast

from closedbook.grade.trial import Trial
from closedbook.grade.verdict import Reason


def setup_context(trial: Trial) -> Reason | None:
    """``setup_context`` is written apart, and forward takes the inputs alone."""
    expected = "forward(inputs...) and setup_context(ctx, inputs, output)"
    apart = trial.outline.binding(trial.function, "setup_context")
    forward = trial.outline.binding(trial.function, "forward")
    if forward is None:
        return Reason(expected, "there is no forward")
    if not isinstance(apart, ast.FunctionDef | ast.Assign):
        return Reason(expected, "forward(ctx, ...), and no setup_context", forward.lineno)
    if isinstance(forward, ast.FunctionDef):
        first = [*forward.args.posonlyargs, *forward.args.args][:1]
        if first and first[0].arg == "ctx":
            return Reason(expected, "forward takes ctx", forward.lineno)
    if trial.forwards[0].failure:
        return trial.failed(trial.forwards[0], "a forward that runs with them", trial.usual)
    if not trial.apart:
        return Reason(expected, "torch finds no setup_context in the class", apart.lineno)
    return None
