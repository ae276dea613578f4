"""Exams as PDF: papers, keys, a marking sheet, and the manifest that reprints them."""

from closedbook.export.exam.settings import Settings
from closedbook.export.exam.write import write_exam

__all__ = ["Settings", "write_exam"]
