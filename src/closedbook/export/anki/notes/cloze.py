"""``cloze``: one note with Anki's own gaps, a card for each number."""

from __future__ import annotations

from collections.abc import Iterator

from closedbook.export.anki.notes.draft import Draft
from closedbook.export.anki.notetypes import CLOZE
from closedbook.export.anki.page import Page
from closedbook.model.bank import Bank
from closedbook.model.gaps import GAP
from closedbook.model.kinds.cloze import Cloze


def notes(page: Page, bank: Bank) -> Iterator[Draft]:
    """The note of a cloze. Its numbers are the author's: Anki tells the cards apart by them."""
    content = page.drawn.content
    assert isinstance(content, Cloze)  # noqa: S101 - the table of kinds says so
    text = page.cloze(content.text, "text")  # where all braces that make no gap are escaped
    yield Draft(
        "cloze",
        CLOZE,
        {
            "Text": text,
            "Code": page.code("code"),
            "Claims": page.claims("claims"),
            "Why": page.html(content.why, "why"),
            "Hint": page.html(content.hint, "hint"),
            "Evidence": page.evidence(),
        },
        cards=tuple(sorted({int(number) - 1 for number in GAP.findall(text)})),
    )
