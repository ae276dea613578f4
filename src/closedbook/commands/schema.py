"""``cards schema``: the JSON Schema of card files, for editors."""

from __future__ import annotations

import json

import click

SUBJECTS = ("cards", "unit", "bank", "exam")


@click.command()
@click.argument("subject", type=click.Choice(SUBJECTS), default="cards")
def command(subject: str) -> None:
    """Print the JSON Schema of card files, or of unit.yaml, bank.yaml, an exam.

    An editor with yaml-language-server completes and checks a card file whose first line names
    the printed file:

    \b
      cards schema > cards.schema.json
      # yaml-language-server: $schema=../../cards.schema.json
    """  # noqa: D301  (\b is the character by which click keeps lines as they are)
    from closedbook.source.schema import schema_of

    click.echo(json.dumps(schema_of(subject), indent=2, ensure_ascii=False))  # type: ignore[arg-type]  # one of SUBJECTS
