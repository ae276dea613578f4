"""A learner's file to a report.

The grader reads the attempt, never imports it. The attempt runs behind walls
(:mod:`~closedbook.grade.sandbox`) and answers questions with bare tensors; every comparison,
finite difference and mark is computed here. :mod:`~closedbook.grade.probes` has one probe for
each point that a task's ``contract`` may name.
"""

from closedbook.grade.classroom import HandedIn, grade_class, grade_one, handed_in
from closedbook.grade.grading import Assignment, assignment_of
from closedbook.grade.sandbox import Limits, Sandbox, SandboxError
from closedbook.grade.verdict import Finding, Grade, Mark, Note

__all__ = [
    "Assignment",
    "Finding",
    "Grade",
    "HandedIn",
    "Limits",
    "Mark",
    "Note",
    "Sandbox",
    "SandboxError",
    "assignment_of",
    "grade_class",
    "grade_one",
    "handed_in",
]
