"""A learner's usual slips are told in words, with the line."""

from __future__ import annotations

import ast

import pytest

from closedbook.grade.text.hints import hints
from closedbook.grade.text.outline import Outline

HEAD = "import torch\nclass F(torch.autograd.Function):\n"
FORWARD = "    @staticmethod\n    def forward({}): return x * 2\n"
APART = "    @staticmethod\n    def setup_context(ctx, inputs, output): pass\n"


def told(source: str) -> list[tuple[int, str]]:
    """Line and text of each hint about F."""
    return [(hint.line, hint.text) for hint in hints(Outline(ast.parse(source)), "F")]


@pytest.mark.parametrize("arguments", ["ctx, x", "ctx, /, x", "self, x"])
def test_a_ctx_too_many_is_told_with_its_line(arguments: str) -> None:
    """Beside a setup_context forward has no ctx, and torch's own words do not say so."""
    ((line, words),) = told(HEAD + FORWARD.format(arguments) + APART)
    assert line == 4
    assert f"Take {arguments.partition(',')[0]} out of forward" in words


@pytest.mark.parametrize(
    "source",
    [
        HEAD + FORWARD.format("x") + APART,
        HEAD + FORWARD.format("ctx, x"),
        HEAD + FORWARD.format("*x") + APART,
    ],
)
def test_a_forward_that_fits_its_setup_context_is_no_hint(source: str) -> None:
    """Together with ctx, or apart from it without: either is right."""
    assert told(source) == []


def test_a_method_that_is_not_static_is_told() -> None:
    """Torch never makes an instance of a Function."""
    ((line, words),) = told(HEAD + "    def backward(ctx, grad): return grad\n")
    assert line == 3
    assert "backward has no @staticmethod" in words


def test_a_function_that_is_called_is_told() -> None:
    """A Function runs by apply."""
    ((line, words),) = told(HEAD + FORWARD.format("ctx, x") + "F(1)\n")
    assert line == 5
    assert "F.apply(...)" in words
