"""``derivation``: a card that walks the steps, and one card a step where the author asks."""

from __future__ import annotations

from collections.abc import Iterator

from closedbook.export.anki.notes.draft import Draft
from closedbook.export.anki.notetypes import DERIVATION, STEP
from closedbook.export.anki.page import Page
from closedbook.model.bank import Bank
from closedbook.model.kinds.derivation import Derivation, Step


def notes(page: Page, bank: Bank) -> Iterator[Draft]:
    """The note of the whole derivation, then those of its steps."""
    content = page.drawn.content
    assert isinstance(content, Derivation)  # noqa: S101 - the table of kinds says so
    steps = [_step(page, number, step) for number, step in enumerate(content.steps)]
    shared = {
        "Ask": page.html(content.ask, "ask"),
        "Code": page.code("code"),
        "Hint": page.html(content.hint, "hint"),
    }
    yield Draft(
        "derivation",
        DERIVATION,
        {
            **shared,
            "Steps": "".join(steps),
            "Result": _result(page, content),
            "Why": page.html(content.why, "why"),
            "Evidence": page.evidence(),
        },
    )
    if not content.each_step:
        return
    for number, step in enumerate(content.steps):
        name = step.id or str(number + 1)
        yield Draft(
            f"step.{name}",
            STEP,
            {
                **shared,
                "Earlier": "".join(steps[:number]),
                "Number": str(number + 1),
                "Step": page.html(step.ask, "steps", number, "ask"),
                "Answer": _answer(page, number, step),
                "Why": page.html(step.why, "steps", number, "why"),
                "Evidence": page.evidence("steps", number),
            },
            label=f"/{name}",
        )


def _step(page: Page, number: int, step: Step) -> str:
    """A step that opens: what it asks, and below it the answer and why."""
    why = page.html(step.why, "steps", number, "why")
    reason = f'<div class="why">{why}</div>' if why else ""
    return (
        f'<details class="step"><summary><span class="number">{number + 1}</span>'
        f"<div>{page.html(step.ask, 'steps', number, 'ask')}</div></summary>"
        f'<div class="step-answer">{_answer(page, number, step)}{reason}</div></details>'
    )


def _answer(page: Page, number: int, step: Step) -> str:
    return page.html(step.answer, "steps", number, "answer") + page.quotes("steps", number)


def _result(page: Page, content: Derivation) -> str:
    if content.result is None:
        return ""
    if isinstance(content.result, str):
        return page.html(content.result, "result")
    return page.html(content.result.say, "result", "say") + page.quotes("result")
