"""Each task of the repository's own bank gives full marks to its own reference."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from closedbook.grade import Sandbox, assignment_of
from closedbook.grade.grading import Assignment, grade_attempt
from closedbook.grade.text.attempt import Attempt
from closedbook.model.bank import Bank
from closedbook.source import load_bank

REPOSITORY = Path(__file__).parents[2]
BANK, _ = load_bank(REPOSITORY)
TASKS = [card.id for card in BANK.cards if card.kind == "task"] if BANK is not None else []


def source_of(bank: Bank, assignment: Assignment) -> str:
    """The file of a task's references without closedbook's marks: what a learner could write."""
    names = [reference.name for reference in assignment.references.values()]
    parts = []
    for path in dict.fromkeys(bank.generators[name].path for name in names):
        for node in ast.parse((bank.root / path).read_text("utf-8")).body:
            if isinstance(node, ast.ClassDef):
                node.decorator_list = []
            if not (isinstance(node, ast.ImportFrom) and node.module == "closedbook"):
                parts.append(ast.unparse(node))
    return "\n\n".join(parts)


def test_the_bank_has_tasks() -> None:
    """The bank loads, and has the two tasks that its unit ends with."""
    assert {"task-linear-function", "task-mul-constant"} <= set(TASKS)


@pytest.mark.parametrize("task", TASKS)
def test_a_reference_gets_full_marks(task: str, sandbox: Sandbox) -> None:
    """A contract that its own reference fails could be met by nobody."""
    assert BANK is not None
    card = BANK.card(task)
    assert card is not None
    assignment = assignment_of(BANK, card)
    grade = grade_attempt(assignment, Attempt("own.py", source_of(BANK, assignment)), sandbox)
    assert grade.full, [(mark.probe, mark.reason) for mark in grade.marks if mark.reason]
    traps = {point.trap for point in assignment.task.contract.values() if point.trap}
    assert all(BANK.card(trap) is not None for trap in traps)
