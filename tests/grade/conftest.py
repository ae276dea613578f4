"""One warm sandbox and one bank of tasks for every test of grading."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from closedbook.grade import Assignment, AttemptLimits, Grade, Sandbox, assignment_of
from closedbook.grade.grading import grade_attempt
from closedbook.grade.text.attempt import Attempt
from closedbook.model.bank import Bank
from closedbook.problem import has_errors
from closedbook.source import load_bank
from tests.grade.material import BANK, class_of_five

# Time is the point of few tests, which have limits of their own: no busy machine reaches these.
LIMITS = AttemptLimits(wall=120.0, cpu=120, total=1200.0)


@pytest.fixture(scope="session")
def bank() -> Bank:
    """The bank of tasks that attempts are graded against."""
    loaded, problems = load_bank(BANK)
    assert loaded is not None
    assert not has_errors(problems), problems
    return loaded


@pytest.fixture(scope="session")
def assignments(bank: Bank) -> dict[str, Assignment]:
    """Every task of the bank, ready to grade."""
    return {card.id: assignment_of(bank, card) for card in bank.cards if card.kind == "task"}


@pytest.fixture(scope="session")
def sandbox() -> Iterator[Sandbox]:
    """One warm process for all."""
    with Sandbox(LIMITS, hidden=(BANK,)) as started:
        yield started


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class of five learners, and a hidden file."""
    return class_of_five(tmp_path_factory.mktemp("class"))


Judge = Callable[..., Grade]


@pytest.fixture(scope="session")
def judge(assignments: dict[str, Assignment], sandbox: Sandbox) -> Judge:
    """Grade a text against a task."""

    def grade(source: str, task: str = "task-linear", seed: int | None = None) -> Grade:
        return grade_attempt(assignments[task], Attempt("attempt.py", source), sandbox, seed=seed)

    return grade
