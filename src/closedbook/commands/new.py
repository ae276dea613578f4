"""``cards new``: a card of some kind, filled with names of this bank, to start from."""

from __future__ import annotations

import ast
import re
from importlib import resources
from pathlib import Path

import click

from closedbook.commands.common import bank_option, bank_root, print_problems
from closedbook.model.bank import Bank, Generator
from closedbook.model.kinds import KINDS
from closedbook.model.kinds.base import SLUG


@click.command()
@click.argument("kind", type=click.Choice(sorted(KINDS)))
@bank_option
@click.option("--id", "card_id", metavar="ID", help="The card's permanent id.")
def command(kind: str, bank_dir: Path | None, card_id: str | None) -> None:
    """Print a card of KIND that verifies as it is, to change into your own.

    It is about a @reference of the bank or, where there is none, about an @experiment, which is run
    once to see what it returns. A task needs a @reference.

    \b
      cards new question --id my-card >> cards/my-unit/my-cards.yaml
    """  # noqa: D301  (\b is the character by which click keeps lines as they are)
    bank = _read(bank_dir)
    if card_id is not None:
        _check_id(bank, card_id)
    name = card_id or _fresh(bank, kind)
    reference = _first(bank, "reference")
    if reference is not None:
        click.echo(_about_reference(kind, bank, reference, name))
        return
    if kind == "task":
        raise click.ClickException(
            "a task is graded against a torch.autograd.Function, and this bank marks none with "
            "@reference: write one into generators/functions/"
        )
    click.echo(_about_experiment(kind, bank, name))


def _check_id(bank: Bank, card_id: str) -> None:
    """End the command with exit code 2 where a card cannot have this id."""
    if re.fullmatch(SLUG, card_id) is None:
        words = re.sub(r"[^a-z0-9]+", "-", card_id.casefold()).strip("-")
        advice = f": {words!r}, say" if words else ""
        raise click.UsageError(
            f"--id {card_id!r}: an id is lower-case letters, digits and hyphens{advice}"
        )
    for card in bank.cards:
        if card_id in (card.id, *card.content.was):
            raise click.UsageError(
                f"the id {card_id!r} is taken by {card.origin.place()}; without --id a free one "
                "is found"
            )
    if card_id in bank.unread:
        raise click.UsageError(f"the id {card_id!r} is taken by a card that has mistakes")


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
    """An id that no card has yet, or has had."""
    taken = {name for card in bank.cards for name in (card.id, *card.content.was)} | bank.unread
    number = next(n for n in range(1, len(taken) + 2) if f"new-{kind}-{n}" not in taken)
    return f"new-{kind}-{number}"


def _filled(template: str, words: dict[str, str]) -> str:
    for word, text in words.items():
        template = template.replace(word, text)
    return template


def _outcome(bank: Bank) -> str:
    return next(iter(bank.units[0].info.outcomes))


def _about_experiment(kind: str, bank: Bank, card_id: str) -> str:
    """A card on the first experiment that runs, or one to be filled in."""
    from closedbook.commands.trial import Trial, try_out

    experiments = [each for each in bank.generators.values() if each.role == "experiment"]
    if not experiments:
        raise click.ClickException(
            "this bank has nothing that a card could run: write an @experiment into "
            "generators/experiments/ (or a @reference into generators/functions/)"
        )
    found = None if bank.doubtful else try_out(bank, experiments)
    if found is None:
        experiment = experiments[0]
        arguments = dict.fromkeys(experiment.required, "its value")
        trial = Trial(arguments, "a_fact", "its value", "its value")
        click.echo(
            f"The card holds once it gives {experiment.name} its arguments and expects what it "
            "returns.",
            err=True,
        )
    else:
        experiment, trial = found

    def block(depth: int) -> str:
        lines = [f"{name}: {value}" for name, value in trial.arguments.items()]
        margin = "\n" + " " * (depth + 2)
        return " " * depth + "with:" + (margin + margin.join(lines) if lines else " {}")

    words = {
        "__ID__": card_id,
        "__OUTCOME__": _outcome(bank),
        "__EXPERIMENT__": experiment.name,
        "__FACT__": trial.fact,
        "__VALUE__": trial.value,
        "__SAID__": trial.said,
        "__WITH4__": block(8),
        "__WITH2__": block(6),
        "__WITH__": block(4),
    }
    return _filled(_template(f"experiment/{kind}"), words)


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
