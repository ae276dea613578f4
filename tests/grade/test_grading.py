"""What takes a point away is what the attempt did: no mistake of closedbook's or of the bank's."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

import pytest
import torch

from closedbook.grade import Assignment, Sandbox
from closedbook.grade.broken import grade_broken
from closedbook.grade.draws import Drawer
from closedbook.grade.grading import grade_attempt
from closedbook.grade.probes import TABLE
from closedbook.grade.reference import Reference, UnusableReferenceError
from closedbook.grade.text.attempt import Attempt
from closedbook.grade.text.outline import Outline
from closedbook.grade.trial import Trial
from closedbook.model.kinds.task import PROBES
from tests.grade.conftest import Judge
from tests.grade.material import GALLERY

RIGHT = (GALLERY / "right" / "separate.py").read_text("utf-8")


def fault(*_: object) -> None:
    """A probe with a mistake in it."""
    raise KeyError("a row that is not there")


def test_every_point_that_a_contract_may_name_has_a_probe() -> None:
    """The words of the points and the probes are two tables with the same keys."""
    assert list(TABLE) == list(PROBES)


def test_a_fault_of_a_probe_is_not_charged_to_the_attempt(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a probe raises of itself leaves the grading, and no grade is made of it."""
    monkeypatch.setitem(TABLE, "shapes", fault)
    with pytest.raises(KeyError, match="a row that is not there"):
        judge(RIGHT)


def test_a_probe_that_is_missing_is_not_charged_to_the_attempt(
    judge: Judge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A point without a row in the table is a mistake of closedbook's."""
    monkeypatch.delitem(TABLE, "shapes")
    with pytest.raises(KeyError, match="shapes"):
        judge(RIGHT)


def test_a_fault_in_the_second_half_is_not_charged_either(
    assignments: dict[str, Assignment], sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor do the points of the broken version go to a mistake of the grader's."""
    monkeypatch.setattr("closedbook.grade.broken.jacobians", fault)
    with pytest.raises(KeyError, match="a row that is not there"):
        grade_broken(assignments["task-linear"], Attempt("b.py", RIGHT), None, sandbox, 7)


class Refuses(torch.autograd.Function):
    """Takes no input at all."""

    @staticmethod
    def forward(ctx: Any, *_: Any) -> Any:
        """Raise what torch itself would never raise."""
        raise ZeroDivisionError("nothing to divide by")


class OfNoGradient(torch.autograd.Function):
    """Gives whole numbers."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, *_: Any) -> torch.Tensor:
        """Round."""
        return x.long()


def with_reference(assignment: Assignment, function: Any) -> Assignment:
    """The same task with another reference."""
    references = {
        name: replace(reference, function=function)
        for name, reference in assignment.references.items()
    }
    return replace(assignment, references=references)


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (Refuses, "drawn sizes.* ZeroDivisionError: nothing to divide by"),
        (OfNoGradient, "an output of torch.int64 has no gradient to compare"),
    ],
)
def test_a_reference_that_cannot_be_run_is_named(
    function: Any, words: str, assignments: dict[str, Assignment], sandbox: Sandbox
) -> None:
    """The bank is told of its reference; the learner loses nothing by it."""
    assignment = with_reference(assignments["task-linear"], function)
    with pytest.raises(UnusableReferenceError, match=r"the reference '.*' cannot be run") as caught:
        grade_attempt(assignment, Attempt("a.py", RIGHT), sandbox)
    assert caught.match(words)


def test_inputs_that_the_reference_refuses_are_left_out(
    assignments: dict[str, Assignment], sandbox: Sandbox
) -> None:
    """A reference may raise what it likes for a batch of zero rows: then none is graded with it."""
    known = assignments["task-linear"].references["LinearFunction"].function

    class NeedsRows(known):  # type: ignore[misc]  # a class of the bank, whose type nobody knows
        @classmethod
        def apply(cls, x: torch.Tensor, *others: Any) -> Any:
            if not len(x):
                raise ValueError("no rows")
            return known.apply(x, *others)

    assignment = with_reference(assignments["task-linear"], NeedsRows)
    trial = trial_of(assignment.references["LinearFunction"])
    labels = {case.label for case in trial.cases}
    assert "drawn sizes" in labels
    assert "zero rows" not in labels
    assert grade_attempt(assignment, Attempt("a.py", RIGHT), sandbox).full


def trial_of(reference: Reference) -> Trial:
    """A trial of nothing: only its cases are looked at."""
    nothing: Any = None
    drawer = Drawer(reference.arguments, 1)
    return Trial(nothing, Outline(ast.parse("")), reference, drawer, "F", ())


def test_a_seed_draws_the_same_again(judge: Judge) -> None:
    """The seed of a report gives the same inputs, so the same words."""
    wrong = (GALLERY / "wrong" / "sign_of_grad_input.py").read_text("utf-8")
    assert judge(wrong, seed=9).marks == judge(wrong, seed=9).marks
    assert judge(wrong, seed=9).marks != judge(wrong, seed=10).marks
