"""What runs in the sandbox stands at the top of its path, and out of the attempt's sight."""

from __future__ import annotations

import importlib.metadata
import sys

from closedbook.grade import Assignment, Sandbox
from closedbook.grade.grading import grade_attempt
from closedbook.grade.sandbox.walls import INSIDE
from closedbook.grade.text.attempt import Attempt

NAMES = sorted(path.stem for path in INSIDE.glob("*.py") if path.stem != "__init__")


def test_no_module_inside_takes_the_name_of_another() -> None:
    """They are found by their bare names: what Python, torch or a package imports is not they."""
    assert "wire" in NAMES
    taken = {*sys.stdlib_module_names, *importlib.metadata.packages_distributions()}
    assert taken & {*NAMES} == set()


def test_an_attempt_does_not_meet_what_runs_it(
    assignments: dict[str, Assignment], sandbox: Sandbox
) -> None:
    """None of the modules that answer for an attempt is among those that it could look up."""
    source = f"import sys\nraise RuntimeError([n for n in {NAMES!r} if n in sys.modules])"
    grade = grade_attempt(assignments["task-linear"], Attempt("a.py", source), sandbox)
    reason = grade.marks[0].reason
    assert reason is not None
    assert reason.seen == "RuntimeError: []"
