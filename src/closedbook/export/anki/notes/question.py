"""``question``: one card; options, a typed answer, or an answer to recall."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from closedbook.export.anki.notes.draft import Draft
from closedbook.export.anki.notetypes import QUESTION
from closedbook.export.anki.page import Page
from closedbook.model.bank import Bank
from closedbook.model.kinds.question import Option, Question


def notes(page: Page, bank: Bank) -> Iterator[Draft]:
    """The note of a question."""
    content = page.drawn.content
    assert isinstance(content, Question)  # noqa: S101 - the table of kinds says so
    answer = page.html(content.answer, "answer") + page.quotes("answer")
    yield Draft(
        "question",
        QUESTION,
        {
            "Ask": page.html(content.ask, "ask"),
            "Code": page.code("code"),
            "Options": options(page, content),
            "Answer": answer + page.claims("claims"),
            "Typed": page.plain(content.answer or "") if content.typed else "",
            "Why": page.html(content.why, "why"),
            "Hint": page.html(content.hint, "hint"),
            "Evidence": page.evidence(),
        },
    )


def options(page: Page, content: Question) -> str:
    """The options as a list, those marked ``last`` at the end; empty where there are none.

    Their order comes from the card's id, so that the right one is not always the first that
    the author wrote, and stays when an option's text changes.
    """
    if not content.options:
        return ""

    def place(numbered: tuple[int, Option]) -> tuple[bool, bytes]:
        number, option = numbered
        return option.last, hashlib.sha256(f"{page.card.id}/{number}".encode()).digest()

    ordered = sorted(enumerate(content.options), key=place)
    return f"<ol>{''.join(_option(page, number, option) for number, option in ordered)}</ol>"


def _option(page: Page, number: int, option: Option) -> str:
    name = "right" if option.right is not None else "wrong"
    classes = f"{name} last" if option.last else name
    text = page.html(option.text, "options", number, name)
    because = page.html(option.because, "options", number, "because")
    reason = f'<div class="because">{because}</div>' if because else ""
    return f'<li class="{classes}"><div class="option">{text}</div>{reason}</li>'
