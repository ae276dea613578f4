"""The probe of the contract's form: setup_context apart."""

from __future__ import annotations

import ast

from closedbook.grade.bench import Bench
from closedbook.grade.verdict import Finding


def setup_context(bench: Bench) -> Finding | None:
    """``setup_context`` is written apart, and forward takes the inputs alone."""
    expected = "forward(inputs...) and setup_context(ctx, inputs, output)"
    apart = bench.reading.binding(bench.function, "setup_context")
    forward = bench.reading.binding(bench.function, "forward")
    if forward is None:
        return Finding(expected, "there is no forward")
    if not isinstance(apart, ast.FunctionDef | ast.Assign):
        return Finding(expected, "forward(ctx, ...), and no setup_context", forward.lineno)
    if isinstance(forward, ast.FunctionDef):
        first = [*forward.args.posonlyargs, *forward.args.args][:1]
        if first and first[0].arg == "ctx":
            return Finding(expected, "forward takes ctx", forward.lineno)
    if bench.forwards[0].failure:
        return bench.failed(bench.forwards[0], "a forward that runs with them", bench.usual)
    if not bench.apart:
        return Finding(expected, "torch finds no setup_context in the class", apart.lineno)
    return None
