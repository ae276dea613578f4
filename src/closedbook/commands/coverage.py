"""``cards coverage``: which cards teach what, by kind and difficulty, and what nothing covers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from closedbook.commands.common import bank_option, check_known, open_bank
from closedbook.model import course
from closedbook.model.bank import Bank, Card, Unit
from closedbook.model.kinds import KINDS
from closedbook.problem import count

LEVELS = range(1, 6)
HEADER = ["outcome", *KINDS, "difficulty 1", *map(str, LEVELS[1:]), "varies", "cards"]

EVERYTHING = "Nothing: each outcome, source and item of the syllabus has cards."


@dataclass(frozen=True, slots=True)
class Row:
    """An outcome, and the cards that name it."""

    outcome: str
    says: str
    cards: tuple[Card, ...]

    def cells(self) -> list[str]:
        """The row as :data:`HEADER` names its columns; a dot stands for none."""
        kinds = Counter(card.kind for card in self.cards)
        levels = Counter(card.content.difficulty for card in self.cards)
        varying = sum(card.content.vary is not None for card in self.cards)
        numbers = [*(kinds[k] for k in KINDS), *(levels[n] for n in LEVELS), varying]
        return [self.outcome, *(str(n or "·") for n in [*numbers, len(self.cards)])]


@dataclass(frozen=True, slots=True)
class Coverage:
    """A unit's cards by outcome; ``gaps`` says in words what no card covers."""

    unit: Unit
    cards: tuple[Card, ...]
    rows: tuple[Row, ...]
    gaps: tuple[str, ...]


def coverage_of(bank: Bank, unit: Unit) -> Coverage:
    """Count a unit's cards; retired ones cover nothing."""
    cards = tuple(c for c in bank.cards if c.unit.id == unit.id and not c.content.retired)
    rows = tuple(
        Row(name, says, tuple(c for c in cards if name in c.content.outcome))
        for name, says in unit.info.outcomes.items()
    )
    return Coverage(unit, cards, rows, tuple(_gaps(unit, cards, rows)))


def _gaps(unit: Unit, cards: tuple[Card, ...], rows: tuple[Row, ...]) -> Iterator[str]:
    for row in rows:
        if not row.cards:
            yield f"no card has the outcome {row.outcome}"
    cited = {getattr(c.content.source, "id", c.content.source) for c in cards}
    for name in unit.info.resources:
        if name not in cited:
            yield f"no card has the source {name}"
    for item in unit.info.syllabus:
        if not item.cards:
            yield f"no card covers {item.part}: {item.item}"


@click.command()
@bank_option
@click.option("--unit", "unit_id", metavar="UNIT", help="Only this unit.")
@click.option("--strict", is_flag=True, help="Exit code 1 where something is not covered.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "markdown"]),
    default="text",
    show_default=True,
)
def command(bank_dir: Path | None, unit_id: str | None, strict: bool, form: str) -> None:
    """Show which cards teach each outcome, by kind and difficulty, and what nothing covers.

    A unit's syllabus, where unit.yaml has one, is listed with the cards of each item.
    """
    bank = open_bank(bank_dir)
    asked = [] if unit_id is None else [unit_id]
    check_known("unit", asked, {unit.id for unit in bank.units})
    units = [unit for unit in course.in_order(bank.units) if not asked or unit.id in asked]
    found = [coverage_of(bank, unit) for unit in units]
    if form == "json":
        text = json.dumps([_plain(one) for one in found], indent=2, ensure_ascii=False)
    else:
        show = markdown if form == "markdown" else _text
        text = "\n\n".join(show(one) for one in found)
    click.echo(text)
    if strict and any(one.gaps for one in found):
        raise click.exceptions.Exit(1)


def _summary(one: Coverage) -> str:
    kinds = Counter(card.kind for card in one.cards)
    varying = sum(card.content.vary is not None for card in one.cards)
    parts = ", ".join(count(kinds[kind], kind) for kind in KINDS if kinds[kind])
    return f"{count(len(one.cards), 'card')} ({parts}), {varying} of them varying"


def _table(one: Coverage) -> list[list[str]]:
    total = Row("all", "", one.cards).cells()
    return [HEADER, *(row.cells() for row in one.rows), total]


def _text(one: Coverage) -> str:
    table = _table(one)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    lines = [f"{one.unit.info.title}: {_summary(one)}", ""]
    for cells in table:
        first = cells[0].ljust(widths[0])
        rest = (cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True))
        lines.append("  ".join([first, *rest]))
    part = None
    for item in one.unit.info.syllabus:
        if item.part != part:
            lines += ["", item.part]
            part = item.part
        lines += [f"  {item.item}", f"    {', '.join(item.cards) or '·'}"]
    return "\n".join([*lines, "", *(one.gaps or ["everything is covered"])])


def markdown(one: Coverage) -> str:
    """The same as a page for ``docs/``: outcomes, table, syllabus, gaps."""
    table = _table(one)
    lines = [f"## {one.unit.info.title}", "", f"{_summary(one)}.", "", "### Outcomes", ""]
    lines += [f"- `{row.outcome}`: {row.says}" for row in one.rows]
    lines += ["", *_pipes(table[0]), *(line for row in table[1:] for line in _pipes(row)[:1])]
    part = None
    for item in one.unit.info.syllabus:
        if item.part != part:
            lines += ["", f"### {item.part}"]
            part = item.part
        lines += ["", item.item, "", *([f"- `{name}`" for name in item.cards] or ["No card."])]
    lines += ["", "### Not covered", ""]
    lines += [f"- {gap}" for gap in one.gaps] or [EVERYTHING]
    return "\n".join(lines)


def _pipes(cells: list[str]) -> list[str]:
    """A row of a Markdown table, and the rule that goes below a header."""
    return [f"| {' | '.join(cells)} |", f"| --- |{' ---: |' * (len(cells) - 1)}"]


def _plain(one: Coverage) -> dict[str, Any]:
    return {
        "unit": one.unit.id,
        "cards": len(one.cards),
        "outcomes": [
            {
                "id": row.outcome,
                "says": row.says,
                "kinds": dict(Counter(card.kind for card in row.cards)),
                "difficulties": dict(
                    sorted(Counter(card.content.difficulty for card in row.cards).items())
                ),
                "cards": [card.id for card in row.cards],
            }
            for row in one.rows
        ],
        "syllabus": [item.model_dump(mode="json") for item in one.unit.info.syllabus],
        "gaps": list(one.gaps),
    }
