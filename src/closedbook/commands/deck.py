"""``cards deck``: verify, then write the deck and bring its lock up to date."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from closedbook.commands.common import (
    bank_option,
    jobs_option,
    open_verified,
    print_problems,
)
from closedbook.problem import count

if TYPE_CHECKING:
    from closedbook.export.anki import Selection
    from closedbook.verify.verified import VerifiedBank

_ONLY = """Only cards of this outcome, tag or unit; given several times, cards of any."""


@click.command()
@bank_option
@jobs_option
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Where to write the deck.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["apkg", "tsv", "crowdanki"]),
    default="apkg",
    show_default=True,
    help="Anki's package, a text file that Anki imports, or a folder for CrowdAnki.",
)
@click.option("--only", multiple=True, metavar="outcome:ID|tag:TAG|unit:ID", help=_ONLY)
@click.option("--locked", is_flag=True, help="Fail where cards.lock is out of date.")
@click.option(
    "--rehearse",
    "old",
    metavar="OLD.apkg",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Import OLD.apkg and then the new deck into a scratch Anki, and say what became of "
    "each note. Needs closedbook[anki]. Exit code 1 where a learner would lose anything.",
)
def command(
    bank_dir: Path | None,
    jobs: int | None,
    output: Path | None,
    form: str,
    only: tuple[str, ...],
    locked: bool,
    old: Path | None,
) -> None:
    """Verify, then write the deck for Anki: build/<bank id>.apkg.

    Nothing is written where a claim fails. cards.lock, beside cards/, remembers what each note
    looked like, so that an update reaches exactly the notes that changed: commit it.
    """
    if old is not None and form != "apkg":
        raise click.UsageError("--rehearse imports a package: leave out --format.")
    verified = open_verified(bank_dir, jobs)
    if old is not None and old.resolve() == _path(verified, output, form).resolve():
        raise click.UsageError(
            f"--rehearse {old} would write over the release that it starts from: "
            "copy that one first, or write elsewhere with -o"
        )
    path = build_deck(verified, output, form=form, only=only, locked=locked)
    if old is not None:
        _rehearse(old, path)


def build_deck(
    verified: VerifiedBank,
    output: Path | None = None,
    *,
    form: str = "apkg",
    only: tuple[str, ...] = (),
    locked: bool = False,
) -> Path:
    """Write the deck, and print where it is and what changed. Returns its path.

    Ends the command with exit code 1 where the deck cannot be written, 2 on a wrong ``only``.
    """
    from closedbook.commands.verifying import progress_bar
    from closedbook.export.anki import write_deck

    path = _path(verified, output, form)
    selection = _selection(verified, only)
    try:
        with progress_bar("writing notes", "cards") as progress:
            written, problems = write_deck(
                verified,
                path,
                format=form,
                only=selection,
                locked=locked,
                store=_store(verified),
                progress=progress,
            )
    except OSError as error:
        raise click.ClickException(
            f"cannot write {error.filename or path}: {error.strerror}"
        ) from None
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    print_problems(problems)
    if written is None:
        raise click.exceptions.Exit(1)
    size = f"{count(written.notes, 'note')}, {count(written.cards, 'card')}"
    click.echo(f"{_shown(path)}: {size} ({written.changes})")
    for pace in written.paces:
        click.echo(str(pace))
    return path


def keep_notes(verified: VerifiedBank) -> None:
    """Render the notes of a bank that was just found to hold, so that the next deck has them."""
    from closedbook.commands.verifying import progress_bar
    from closedbook.export.anki import keep_notes as keep

    with progress_bar("rendering notes", "cards") as progress:
        keep(verified, _store(verified), progress)


def _store(verified: VerifiedBank) -> Path:
    """The file that keeps rendered notes."""
    from closedbook.export.anki import STORE_NAME

    return verified.bank.root / "build" / STORE_NAME


def _path(verified: VerifiedBank, output: Path | None, form: str) -> Path:
    """Where the deck is to be written."""
    from closedbook.export.anki import FORMATS

    return output or verified.bank.root / "build" / f"{verified.bank.info.id}{FORMATS[form][0]}"


def _selection(verified: VerifiedBank, only: tuple[str, ...]) -> Selection | None:
    from closedbook.export.anki import selection_of

    if not only:
        return None
    selection, mistake = selection_of(only, verified.bank)
    if selection is None:
        raise click.UsageError(f"--only: {mistake}")
    return selection


def _shown(path: Path) -> str:
    """The path as the reader would type it here."""
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return str(path)


def _rehearse(old: Path, new: Path) -> None:
    """Print the rehearsal's report; exit code 1 on a loss, 2 where Anki is not installed."""
    try:
        from closedbook.export.anki.rehearse import rehearse
    except ImportError:
        raise click.UsageError(
            "--rehearse needs Anki itself: pip install 'closedbook[anki]'"
        ) from None
    from anki.errors import AnkiException

    try:
        rehearsal = rehearse(old, new)
    except AnkiException as error:
        raise click.ClickException(f"Anki cannot import {old} and then {new}: {error}") from None
    click.echo(str(rehearsal))
    if rehearsal.losses:
        raise click.exceptions.Exit(1)
