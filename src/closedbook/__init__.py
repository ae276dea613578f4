"""Flashcards and closed-book exams whose every answer has been run."""

from closedbook.model.marks import experiment, flawed, reference

__version__ = "0.1.0"
__all__ = ["__version__", "experiment", "flawed", "reference"]
