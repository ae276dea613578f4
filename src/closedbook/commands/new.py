"""``cards new``: a card of some kind, filled with names of this bank, to start from."""

from __future__ import annotations

import ast
from importlib import resources
from pathlib import Path

import click

from closedbook.commands.common import bank_option, bank_root, print_problems
from closedbook.model.bank import Bank, Generator
from closedbook.model.kinds import KINDS


@click.command()
@click.argument("kind", type=click.Choice(sorted(KINDS)))
@bank_option
@click.option("--id", "card_id", metavar="ID", help="The card's permanent id.")
def command(kind: str, bank_dir: Path | None, card_id: str | None) -> None:
    """Print a card of KIND that verifies as it is, to change into your own.

    \b
      cards new question --id my-card >> cards/my-unit/my-cards.yaml
    """  # noqa: D301  (\b is the character by which click keeps lines as they are)
    bank = _read(bank_dir)
    name = card_id or _fresh(bank, kind)
    reference = _first(bank, "reference")
    if reference is not None:
        click.echo(_about_reference(kind, bank, reference, name))
        return
    experiment = _first(bank, "experiment")
    if experiment is None or kind != "question":
        raise click.ClickException(
            f"this bank has no @reference for a {kind} to be about: write one into "
            "generators/functions/, or start from `cards new question`, which also runs an "
            "@experiment"
        )
    click.echo(_about_experiment(bank, experiment, name))
    click.echo("The card holds once it expects what the experiment returns.", err=True)


def _first(bank: Bank, role: str) -> Generator | None:
    return next((g for g in bank.generators.values() if g.role == role), None)


def _template(name: str) -> str:
    folder = resources.files("closedbook.commands") / "data" / "new"
    return (folder / f"{name}.yaml").read_text("utf-8").rstrip("\n")


def _read(bank_dir: Path | None) -> Bank:
    """The bank, whatever mistakes it has: the shell has made ``>> new-file.yaml`` empty by now."""
    from closedbook.source import load_bank

    bank, problems = load_bank(bank_root(bank_dir))
    if bank is None or not bank.units:
        print_problems(problems)
        raise click.exceptions.Exit(1)
    return bank


def _fresh(bank: Bank, kind: str) -> str:
    """An id that no card has yet."""
    taken = {card.id for card in bank.cards}
    number = next(n for n in range(1, len(taken) + 2) if f"new-{kind}-{n}" not in taken)
    return f"new-{kind}-{number}"


def _filled(template: str, words: dict[str, str]) -> str:
    for word, text in words.items():
        template = template.replace(word, text)
    return template


def _outcome(bank: Bank) -> str:
    return next(iter(bank.units[0].info.outcomes))


def _about_experiment(bank: Bank, experiment: Generator, card_id: str) -> str:
    needed = "".join(f"\n      {name}: its value" for name in experiment.required)
    words = {
        "__ID__": card_id,
        "__OUTCOME__": _outcome(bank),
        "__EXPERIMENT__": experiment.name,
        "__PARAMETERS__": needed or " {}",
    }
    return _filled(_template("experiment"), words)


def _about_reference(kind: str, bank: Bank, reference: Generator, card_id: str) -> str:
    example = ast.literal_eval(reference.mark.get("example", "{}"))
    argument, shape = next(
        ((name, value) for name, value in example.items() if isinstance(value, tuple)),
        ("input", ()),
    )
    lines = [f"{name}: {value}" for name, value in example.items()]

    def block(depth: int) -> str:
        return "\n".join(" " * depth + line for line in lines)

    words = {
        "__ID__": card_id,
        "__OUTCOME__": _outcome(bank),
        "__REFERENCE__": reference.name,
        "__ARGUMENT__": argument,
        "__SHAPE__": str(shape),
        "__WITH4__": block(10),
        "__WITH3__": block(8),
        "__WITH__": block(6),
    }
    return _filled(_template(kind), words)
