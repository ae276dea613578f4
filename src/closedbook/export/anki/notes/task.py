"""``task``: the order to write a file from a blank page; the answer side shows the reference."""

from __future__ import annotations

from collections.abc import Iterator

from closedbook.export.anki.notes.draft import Draft
from closedbook.export.anki.notetypes import TASK
from closedbook.export.anki.page import Page
from closedbook.model.bank import Bank, Generator, Listing
from closedbook.model.kinds.task import PROBES, ContractPoint, Task
from closedbook.render import escape


def notes(page: Page, bank: Bank) -> Iterator[Draft]:
    """The note of a task."""
    content = page.drawn.content
    assert isinstance(content, Task)  # noqa: S101 - the table of kinds says so
    references = _references(bank, content)
    yield Draft(
        "task",
        TASK,
        {
            "Ask": page.html(content.ask, "ask"),
            "Code": page.code("code"),
            "File": escape.text(content.file, "field"),
            "Contract": _contract(page, content),
            "Answer": "".join(_sources(page, references)),
            "Broken": page.html(content.broken.ask, "broken", "ask") if content.broken else "",
            "Why": page.html(content.why, "why"),
            "Hint": page.html(content.hint, "hint"),
            "Evidence": page.evidence_with(list(references.values())),
        },
    )


def _contract(page: Page, content: Task) -> str:
    rows = "".join(_point(page, name, point) for name, point in content.contract.items())
    return f"<ul>{rows}</ul>"


def _point(page: Page, name: str, point: ContractPoint) -> str:
    return f"<li>{page.html(point.say or PROBES[name], 'contract', name, 'say')}</li>"


def _references(bank: Bank, content: Task) -> dict[str, Generator]:
    """The reference of each class that the file is to hold."""
    return {asked: bank.generators[name] for asked, name in content.references.items()}


def _sources(page: Page, references: dict[str, Generator]) -> Iterator[str]:
    """The source of each reference, under the name of the class that it is the measure of."""
    for asked, reference in references.items():
        if asked != reference.name:
            yield f"<p><code>{escape.text(asked, 'field')}</code></p>"
        yield page.listing(Listing(reference.source, of=reference.name))
