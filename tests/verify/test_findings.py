"""A mistake is told once, by the first draw that shows it, in whatever order draws come."""

from __future__ import annotations

import itertools

import pytest

from closedbook.problem import Place, Problem
from closedbook.verify.findings import Findings

KIND = ("card", ("answer",), "run")


@pytest.mark.parametrize("order", list(itertools.permutations([3, 1, 2])))
def test_the_first_draw_is_told_and_each_of_the_others_counted_once(order: tuple[int, ...]) -> None:
    """Two claims of a card may show one mistake in each draw: that is still one a draw."""
    findings = Findings()
    for number in (*order, *order):
        findings.add(KIND, {"n": number}, number, lambda: Problem(Place("a.yaml", 1), "wrong"))
    (problem,) = findings.problems()
    assert problem.message == "n=1: wrong"
    assert [note.text for note in problem.notes] == ["and in 2 more draws"]


def test_one_draw_alone_is_not_counted() -> None:
    """A mistake that one draw shows twice says nothing of more draws."""
    findings = Findings()
    for _ in range(2):
        findings.add(KIND, {}, 0, lambda: Problem(Place("a.yaml", 1), "wrong"))
    (problem,) = findings.problems()
    assert (problem.message, problem.notes) == ("wrong", ())
