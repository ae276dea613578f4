"""What several commands share: finding the bank, verifying it, printing what is wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from closedbook.problem import Problem, count, did_you_mean, has_errors

if TYPE_CHECKING:
    from closedbook.model.bank import Bank
    from closedbook.verify.verified import VerifiedBank

F = TypeVar("F", bound=Callable[..., Any])

bank_option = click.option(
    "--bank",
    "bank_dir",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="The bank's folder (default: the nearest one, here or above, that holds cards/).",
)
jobs_option = click.option(
    "--jobs",
    "-j",
    type=click.IntRange(min=1, max=1024),
    default=None,
    metavar="N",
    help="Processes to run checks in (default: the cores).",
)


def bank_root(bank_dir: Path | None) -> Path:
    """The folder of the bank to work on. Ends the command with exit code 2 where there is none."""
    if bank_dir is not None:
        if not (bank_dir / "cards").is_dir():
            raise click.UsageError(
                f"{bank_dir} is no bank: it holds no folder 'cards'. "
                f"'cards init {bank_dir}' makes one."
            )
        return bank_dir
    try:
        here = Path.cwd()
    except FileNotFoundError:
        raise click.UsageError("the folder that this runs in is gone") from None
    for folder in (here, *here.parents):
        if (folder / "cards").is_dir():
            return folder
    raise click.UsageError(
        "no bank here: neither this folder nor one above it holds 'cards'. "
        "'cards init DIR' makes a bank; '--bank DIR' names one."
    )


def open_bank(bank_dir: Path | None) -> Bank:
    """Read the bank; print every mistake. Ends the command with exit code 1 where there is one."""
    from closedbook.source import load_bank

    bank, problems = load_bank(bank_root(bank_dir))
    print_problems(problems)
    if bank is None or has_errors(problems):
        raise click.exceptions.Exit(1)
    return bank


def open_verified(bank_dir: Path | None, jobs: int | None = None) -> VerifiedBank:
    """Read and verify the bank: :func:`open_bank`, then :func:`verify_or_end`."""
    return verify_or_end(open_bank(bank_dir), jobs)


def verify_or_end(bank: Bank, jobs: int | None = None) -> VerifiedBank:
    """Verify a bank that was read, with a progress bar on a terminal.

    Prints every mistake, and ends the command with exit code 1 where one is an error.
    """
    from closedbook.commands.verifying import verify_with_progress

    verified, report = verify_with_progress(bank, jobs=jobs)
    print_problems(report.problems)
    if verified is None:
        raise click.exceptions.Exit(1)
    return verified


def print_problems(problems: Sequence[Problem]) -> None:
    """Each problem on stderr with its line and caret, then how many there are."""
    if not problems:
        return
    bold = sys.stderr.isatty() and "NO_COLOR" not in os.environ
    for problem in sorted(problems, key=lambda problem: (problem.severity, problem.place)):
        head, _, rest = str(problem).partition("\n")
        color = "red" if problem.severity == "error" else "yellow"
        click.echo(click.style(head, fg=color, bold=True) if bold else head, err=True)
        if rest:
            click.echo(rest, err=True)
    errors = sum(problem.severity == "error" for problem in problems)
    numbers = ((errors, "error"), (len(problems) - errors, "warning"))
    click.echo(", ".join(count(number, word) for number, word in numbers if number), err=True)


def check_known(what: str, asked: Iterable[str], known: Collection[str]) -> None:
    """End the command with exit code 2 where something asked for (a ``unit``) is not there."""
    for word in asked:
        if word not in known:
            raise click.UsageError(f"the bank has no {what} {word!r}{did_you_mean(word, known)}")


def write_report(path: Path, text: str, *, errors: str = "strict") -> None:
    """Write what a command has to tell into a file. Ends the command where it cannot be written."""
    from closedbook.beside import write_text

    try:
        write_text(path, text, errors=errors)
    except OSError as error:
        raise click.ClickException(
            f"cannot write {error.filename or path}: {error.strerror}"
        ) from None
