"""``trap``: three cards of one note, code to symptom, symptom to fault, and the mending."""

from __future__ import annotations

from collections.abc import Iterator

from closedbook.export.anki.notes.draft import Draft
from closedbook.export.anki.notetypes import TRAP
from closedbook.export.anki.page import Page
from closedbook.model.bank import Bank
from closedbook.model.kinds.trap import Trap


def notes(page: Page, bank: Bank) -> Iterator[Draft]:
    """The note of a trap. The card that asks for the fault needs the author's ``why``."""
    content = page.drawn.content
    assert isinstance(content, Trap)  # noqa: S101 - the table of kinds says so
    said = page.html(content.fix.say, "fix", "say")
    yield Draft(
        "trap",
        TRAP,
        {
            "Ask": page.html(content.ask, "ask"),
            "Code": page.code("code"),
            "Observed": page.claims("claims"),
            "Fault": page.html(content.why, "why"),
            "Fix": page.code("fix", "code") + said + page.quotes("fix"),
            "Hint": page.html(content.hint, "hint"),
            "Evidence": page.evidence(),
        },
    )
