"""A right attempt that is changed at random loses points, or behaves as before."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.grade.conftest import Judge
from tests.grade.material import GALLERY
from tests.grade.mutants import mutants

RIGHT = GALLERY / "right"
ATTEMPTS = {
    "separate": "task-linear",
    "operators": "task-linear",
    "mul_separate": "task-mul",
}
MUTANTS = [
    (name, what, text)
    for name in ATTEMPTS
    for what, text in mutants((RIGHT / f"{name}.py").read_text("utf-8"))
]


def _function(source: str, name: str) -> Any:
    """The Function of a text of our own, loaded here."""
    space: dict[str, Any] = {"__name__": "mutant"}
    exec(compile(source, "mutant", "exec"), space)  # noqa: S102  the gallery's own text, changed
    return space[name]


def _behaviour(function: Any, arguments: list[Any], wanted: tuple[bool, ...]) -> list[Any]:
    """Everything that a caller can tell of one call: output, gradients, what backward returned."""
    given = [
        a.clone().requires_grad_(want) if isinstance(a, torch.Tensor) else a
        for a, want in zip(arguments, wanted, strict=True)
    ]
    returned: list[Any] = []
    original = function.backward

    def backward(ctx: Any, *gradients: Any) -> Any:
        values = original(ctx, *gradients)
        returned.extend(values if isinstance(values, tuple) else [values])
        return values

    packed: list[tuple[int, ...]] = []
    watched = type(function)(function.__name__, (function,), {"backward": staticmethod(backward)})
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: packed.append(tuple(t.shape)) or t, lambda t: t
    ):
        output = watched.apply(*given)
    asked = [a for a in given if isinstance(a, torch.Tensor) and a.requires_grad]
    seed = torch.arange(1.0, output.numel() + 1, dtype=output.dtype).reshape(output.shape)
    gradients = torch.autograd.grad(output, asked, seed)
    held = [v for v in vars(output.grad_fn).values() if isinstance(v, torch.Tensor)]
    assert not held
    return [output.detach(), *gradients, *returned, len(returned)]


def _cases(name: str) -> list[tuple[list[Any], tuple[bool, ...]]]:
    torch.manual_seed(0)
    cases: list[tuple[list[Any], tuple[bool, ...]]] = []
    if ATTEMPTS[name] == "task-mul":
        return [([torch.randn(size, 3).double(), 2.5], (True, False)) for size in (0, 1, 4)]
    for size, wanted in itertools.product((0, 1, 4), itertools.product((True, False), repeat=3)):
        tensors = [torch.randn(size, 3), torch.randn(2, 3), torch.randn(2)]
        doubles: list[Any] = [t.double() for t in tensors]
        if any(wanted):
            cases.append((doubles, wanted))
        if any(wanted[:2]) and not wanted[2]:
            cases.append(([*doubles[:2], None], wanted))
    return cases


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        return one.shape == other.shape and torch.allclose(one, other)
    return type(one) is type(other) and one == other


def equal_in_behaviour(name: str, text: str) -> bool:
    """Whether a mutant does what the attempt that it was made from does."""
    function = "MulConstant" if ATTEMPTS[name] == "task-mul" else "LinearFunction"
    source = (RIGHT / f"{name}.py").read_text("utf-8")
    right, mutant = _function(source, function), _function(text, function)
    for arguments, wanted in _cases(name):
        expected = _behaviour(right, arguments, wanted)
        seen = _behaviour(mutant, arguments, wanted)
        if len(seen) != len(expected) or not all(map(_same, seen, expected)):
            return False
    return True


def test_there_is_something_to_change() -> None:
    """The mutants are many and differ from what they were made from."""
    assert len(MUTANTS) > 100
    assert len({text for _, _, text in MUTANTS}) > 90


@settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(mutant=st.sampled_from(MUTANTS))
def test_a_mutant_loses_points_or_is_equal(mutant: tuple[str, str, str], judge: Judge) -> None:
    """Full marks go to a mutant only where it is shown equal in behaviour."""
    name, what, text = mutant
    if judge(text, ATTEMPTS[name]).full:
        assert equal_in_behaviour(name, text), f"{name}, {what}, still has full marks:\n{text}"


def test_the_oracle_tells_apart() -> None:
    """The check of equality itself sees a dropped transpose, and nothing where nothing changed."""
    source = (RIGHT / "separate.py").read_text("utf-8")
    assert equal_in_behaviour("separate", source)
    assert not equal_in_behaviour("separate", source.replace("grad_output.sum(0)", "grad_output"))


@pytest.mark.parametrize("name", sorted(ATTEMPTS))
def test_what_mutants_are_made_from_is_right(name: str, judge: Judge) -> None:
    """The starting points have full marks."""
    assert judge((RIGHT / f"{name}.py").read_text("utf-8"), ATTEMPTS[name]).full
