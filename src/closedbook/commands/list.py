"""``cards list``: what is in the bank."""

from __future__ import annotations

import json
from pathlib import Path

import click

from closedbook.commands.common import bank_option, check_known, open_bank
from closedbook.model import course
from closedbook.model.bank import Bank, Card
from closedbook.model.kinds import KINDS
from closedbook.problem import count


@click.command()
@bank_option
@click.option(
    "--kind", type=click.Choice(sorted(KINDS)), multiple=True, help="Only cards of this kind."
)
@click.option("--outcome", multiple=True, help="Only cards of this outcome.")
@click.option("--tag", multiple=True, help="Only cards with this tag.")
@click.option("--unit", multiple=True, help="Only cards of this unit.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text")
def command(
    bank_dir: Path | None,
    kind: tuple[str, ...],
    outcome: tuple[str, ...],
    tag: tuple[str, ...],
    unit: tuple[str, ...],
    form: str,
) -> None:
    """List the cards of the bank: id, kind, difficulty, outcomes, place."""
    bank = open_bank(bank_dir)
    check_known("outcome", outcome, {name for u in bank.units for name in u.info.outcomes})
    check_known("unit", unit, {u.id for u in bank.units})
    order = {u.id: number for number, u in enumerate(course.in_order(bank.units))}
    cards = [
        card
        for card in sorted(bank.cards, key=lambda card: order[card.unit.id])
        if (not kind or card.kind in kind)
        and (not outcome or set(outcome) & set(card.content.outcome))
        and (not tag or set(tag) & set(card.content.tags))
        and (not unit or card.unit.id in unit)
    ]
    if form == "json":
        click.echo(json.dumps([_row(card) for card in cards], indent=2, ensure_ascii=False))
    else:
        _print(bank, cards)


def _row(card: Card) -> dict[str, object]:
    content = card.content
    return {
        "id": card.id,
        "kind": card.kind,
        "unit": card.unit.id,
        "deck": card.deck,
        "outcomes": list(content.outcome),
        "difficulty": content.difficulty,
        "tags": list(content.tags),
        "varies": content.vary is not None,
        "retired": content.retired,
        "place": str(card.origin.place()),
    }


def _print(bank: Bank, cards: list[Card]) -> None:
    """Two aligned columns under each file's name; what does not fit stays whole for ``grep``."""
    wide = max((len(card.id) for card in cards), default=0)
    path = None
    for card in cards:
        if card.origin.path != path:
            click.echo(("" if path is None else "\n") + card.origin.path)
            path = card.origin.path
        marks = "".join(
            f"  {mark}"
            for mark, shown in (
                ("varies", card.content.vary is not None),
                ("retired", card.content.retired),
            )
            if shown
        )
        click.echo(
            f"  {card.id:{wide}}  {card.kind:10}  {card.content.difficulty}"
            f"  {', '.join(card.content.outcome)}{marks}"
        )
    click.echo(f"\n{count(len(cards), 'card')} of {len(bank.cards):,} in {bank.info.title}")
