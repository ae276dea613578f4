"""Verifying with a progress bar: what ``verify`` and every exporting command share."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from closedbook.verify import Options, verify_bank

if TYPE_CHECKING:
    from closedbook.model.bank import Bank
    from closedbook.verify import Report, VerifiedBank
    from closedbook.verify.asking import Progress


def verify_with_progress(
    bank: Bank, *, jobs: int | None = None, options: Options | None = None
) -> tuple[VerifiedBank | None, Report]:
    """Verify ``bank``, its texts and figures too; show a bar on stderr where that is a terminal.

    Ends the command with exit code 2 where the executor that is asked for cannot be reached.
    """
    from closedbook.render.check import check_card

    asked = options or Options()
    if jobs is not None:
        asked = replace(asked, jobs=jobs)
    with progress_bar() as progress:
        try:
            return verify_bank(bank, options=asked, progress=progress, reads=check_card)
        except ValueError as error:
            if asked.executor is None:
                raise
            raise click.UsageError(str(error)) from error
        except ModuleNotFoundError as error:
            if error.name != "distributed":
                raise
            message = "--executor dask://… needs the extra: pip install 'closedbook[cluster]'"
            raise click.UsageError(message) from error
        except (OSError, CancelledError) as error:
            if asked.executor is None:
                raise
            why = str(error) or "it went away"
            message = f"no cluster answers at {asked.executor}: {why}"
            raise click.UsageError(message) from error


@contextlib.contextmanager
def progress_bar(doing: str = "verifying", counted: str = "draws") -> Iterator[Progress | None]:
    """A bar that vanishes when it is done; None where nobody would see it."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(counted),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
