"""``cards schema``: the JSON Schema of card files, for editors."""

from __future__ import annotations

import json

import click

SUBJECTS = ("cards", "unit", "bank", "exam")


@click.command()
@click.argument("subject", type=click.Choice(SUBJECTS), default="cards")
def command(subject: str) -> None:
    r"""Print the JSON Schema of card files, or of unit.yaml, bank.yaml, an exam.

    An editor with yaml-language-server completes and checks a card file whose first line names
    the printed file:

    \b
      cards schema > cards.schema.json
      # yaml-language-server: $schema=../../cards.schema.json
    """
    from closedbook.source.schema import schema_of

    click.echo(json.dumps(schema_of(subject), indent=2, ensure_ascii=False))  # type: ignore[arg-type]  # one of SUBJECTS
