"""Exams for learning platforms, browsers and LaTeX. One format is one file here and one row below.

Each takes a verified bank and a plan, as the PDF does, and writes from the same realised variants.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from closedbook.export.lms.common import Files, Setup, write_variants
from closedbook.export.lms.latex import latex_files
from closedbook.export.lms.moodle import moodle_files
from closedbook.export.lms.page import page_files
from closedbook.export.lms.qti import qti_files
from closedbook.paper.exam import Variant
from closedbook.paper.plan import Plan
from closedbook.problem import Problem
from closedbook.verify.verified import VerifiedBank

FORMATS: dict[str, Callable[[Variant, Setup], Files]] = {
    "moodle": moodle_files,
    "qti": qti_files,
    "html": page_files,
    "latex": latex_files,
}
"""What ``--format`` may be, beside ``pdf``: a variant to its files."""


def write_lms(
    verified: VerifiedBank, plan: Plan, folder: Path, form: str
) -> tuple[list[Path], list[Problem]]:
    """Write every variant in the format ``form``, and the manifest; all files or none."""
    return write_variants(verified, plan, folder, FORMATS[form])


__all__ = ["FORMATS", "write_lms"]
