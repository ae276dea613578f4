"""A learner's file to a report.

The grader reads the attempt (:mod:`~closedbook.grade.text`), never imports it. The attempt runs
behind walls (:mod:`~closedbook.grade.sandbox`) and answers questions with bare tensors; every
comparison, finite difference and mark is computed here. :mod:`~closedbook.grade.probes` has one
probe for each point that a task's ``contract`` may name, :mod:`~closedbook.grade.report` one
module for each form of report.
"""

from closedbook.grade.classroom import HandedIn, grade_class, grade_one, handed_in
from closedbook.grade.grading import Assignment, assignment_of
from closedbook.grade.sandbox.sandbox import AttemptLimits, Sandbox
from closedbook.grade.sandbox.warm import SandboxError
from closedbook.grade.verdict import Grade, PointMark, Reason, Remark

__all__ = [
    "Assignment",
    "AttemptLimits",
    "Grade",
    "HandedIn",
    "PointMark",
    "Reason",
    "Remark",
    "Sandbox",
    "SandboxError",
    "assignment_of",
    "grade_class",
    "grade_one",
    "handed_in",
]
