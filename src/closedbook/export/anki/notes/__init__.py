"""What each kind of card becomes in Anki. A new kind has one file here and one row in NOTES."""

from collections.abc import Callable, Iterator

from closedbook.export.anki.notes import cloze, derivation, question, task, trap
from closedbook.export.anki.notes.draft import Draft
from closedbook.export.anki.page import Page
from closedbook.model.bank import Bank

NOTES: dict[str, Callable[[Page, Bank], Iterator[Draft]]] = {
    "question": question.notes,
    "cloze": cloze.notes,
    "derivation": derivation.notes,
    "trap": trap.notes,
    "task": task.notes,
}

__all__ = ["NOTES", "Draft"]
