"""For GitHub Actions: each problem as an annotation at its file and line, then the summary."""

from __future__ import annotations

import os
from pathlib import Path

from closedbook.problem import Problem, visible
from closedbook.verify.formats.text import summary
from closedbook.verify.report import Report


def to_github(report: Report, prefix: str = "") -> str:
    """Workflow commands. ``prefix`` leads from the repository's folder to the bank's."""
    lines = [annotation(problem, prefix) for problem in report.problems]
    return "".join(f"{line}\n" for line in [*lines, *summary(report)])


def annotation(problem: Problem, prefix: str = "") -> str:
    """``::error file=…,line=…::…``."""
    place = problem.place
    fields = {"file": f"{prefix}{place.path}"}
    if place.line:
        fields["line"] = str(place.line)
        if place.column:
            fields["col"] = str(place.column)
    if problem.card:
        fields["title"] = problem.card
    given = ",".join(f"{name}={_property(visible(value))}" for name, value in fields.items())
    told = "\n".join([problem.message, *map(str, problem.notes)])
    return f"::{problem.severity} {given}::{_data(visible(told))}"


def bank_prefix(root: Path) -> str:
    """The way from the checked out repository to the bank, which annotations start from."""
    workspace = Path(os.environ.get("GITHUB_WORKSPACE") or Path.cwd())
    try:
        inner = root.resolve().relative_to(workspace.resolve()).as_posix()
    except ValueError:
        return ""
    return "" if inner == "." else f"{inner}/"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
