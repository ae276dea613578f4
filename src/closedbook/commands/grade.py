"""``cards grade``: judge a file that was written from a blank page, or a folder of them."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from closedbook.commands.common import bank_option, open_bank, write_report

if TYPE_CHECKING:
    from closedbook.grade.classroom import HandedIn
    from closedbook.grade.verdict import Grade
    from closedbook.model.bank import Bank, Card

_QUOTE = "The mismatch as gradcheck printed it; @FILE reads it from a file."


@click.command()
@click.argument("task")
@click.argument("file", type=click.Path(path_type=Path))
@bank_option
@click.option(
    "--broken",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="The second half: the version that was broken on purpose.",
)
@click.option("--quote", metavar="TEXT", help=_QUOTE)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json", "junit", "html", "csv"]),
    default="text",
    show_default=True,
)
@click.option(
    "--feedback",
    type=click.Choice(["brief", "full"]),
    default="full",
    show_default=True,
    help="brief keeps the inputs of the probes, and the values found with them, to the teacher.",
)
@click.option("--jobs", "-j", type=click.IntRange(min=1), metavar="N", help="Attempts at a time.")
@click.option(
    "--seconds",
    type=click.FloatRange(min=1, max=3600),
    default=20,
    show_default=True,
    help="Wall time for one attempt.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), help="Draw the inputs of an earlier report again."
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Write the report here.")
def command(
    task: str,
    file: Path,
    bank_dir: Path | None,
    broken: Path | None,
    quote: str | None,
    form: str,
    feedback: str,
    jobs: int | None,
    seconds: float,
    seed: int | None,
    output: Path | None,
) -> None:
    """Grade FILE, or every attempt in the folder FILE, against the task TASK.

    The attempt runs in a sandbox; what it prints or returns on exit counts for nothing.
    Exit code 0 for full marks (of everybody), 1 for less, 2 where nothing could be graded.
    """
    if sys.platform != "linux":
        raise click.UsageError(
            "grading needs Linux, whose kernel keeps an attempt in its sandbox. On another system, "
            "run it in a Linux container or virtual machine."
        )
    bank = open_bank(bank_dir)
    card = _task(bank, task)
    class_ = _handed_in(card, file, broken, _quotation(quote))
    grades = _grade_all(bank, card, class_, jobs or os.cpu_count() or 1, seconds, seed)
    _report(grades, form, feedback, output, whole_class=file.is_dir())
    _note_second_half(card, class_, whole_class=file.is_dir())
    raise click.exceptions.Exit(0 if all(grade.full for grade in grades) else 1)


def _task(bank: Bank, task: str) -> Card:
    from closedbook.problem import did_you_mean

    card = bank.card(task)
    tasks = [known.id for known in bank.cards if known.kind == "task"]
    if card is None:
        listed = f" The tasks are: {', '.join(tasks)}." if tasks else " The bank has no task."
        raise click.UsageError(f"no task is called {task!r}{did_you_mean(task, tasks)}.{listed}")
    if card.kind != "task":
        raise click.UsageError(f"{task!r} is a {card.kind}, not a task: only a task can be graded.")
    return card


def _quotation(quote: str | None) -> str | None:
    if quote is None or not quote.startswith("@"):
        return quote
    try:
        return Path(quote[1:]).read_text("utf-8", "replace")
    except OSError as error:
        raise click.UsageError(f"--quote {quote}: {error.strerror}") from None


def _handed_in(
    card: Card, file: Path, broken: Path | None, quote: str | None
) -> Sequence[HandedIn]:
    from closedbook.grade.classroom import HandedIn, handed_in
    from closedbook.model.kinds import Task

    assert isinstance(card.content, Task)  # noqa: S101  _task has seen to it
    if (broken or quote) and card.content.broken is None:
        raise click.UsageError(
            f"{card.id} asks for no broken version: leave --broken and --quote out."
        )
    for path in (file, broken):
        if path is not None and not path.exists() and not path.is_symlink():
            raise click.UsageError(f"{path}: no such file.")
    if not file.is_dir() or file.is_symlink():
        return [HandedIn(file.name, file, broken, quote)]
    if broken or quote:
        raise click.UsageError(
            "--broken and --quote go with one FILE; in a folder of attempts each learner's own "
            "folder may hold broken.py and quote.txt."
        )
    try:
        found = handed_in(file, card.content.file)
    except OSError as error:
        raise click.UsageError(f"{file}: {error.strerror}") from None
    if not found:
        raise click.UsageError(f"{file} holds no attempt: no NAME.py, no NAME/{card.content.file}.")
    return found


def _grade_all(
    bank: Bank,
    card: Card,
    class_: Sequence[HandedIn],
    jobs: int,
    seconds: float,
    seed: int | None,
) -> list[Grade]:
    from closedbook.grade import AttemptLimits, Sandbox, SandboxError, assignment_of, grade_class
    from closedbook.grade.reference import UnusableReferenceError

    limits = AttemptLimits(total=seconds)  # a session has no more wall time than is left
    try:
        with Sandbox(limits, hidden=(bank.root,)) as sandbox:
            assignment = assignment_of(bank, card)
            with _progress(len(class_)) as done:
                return grade_class(assignment, class_, sandbox, jobs=jobs, seed=seed, done=done)
    except UnusableReferenceError as error:
        raise click.ClickException(str(error)) from None
    except SandboxError as error:
        raise click.UsageError(f"nothing was graded: {error}.") from None


def _progress(count: int) -> Any:
    """A bar on a terminal for a class; nothing otherwise. Enters to a function that moves it on."""
    import contextlib

    if count < 2 or not sys.stderr.isatty():
        return contextlib.nullcontext(lambda grade: None)
    bar = click.progressbar(length=count, label="Grading", file=sys.stderr)

    @contextlib.contextmanager
    def moving() -> Any:
        with bar:
            yield lambda grade: bar.update(1)

    return moving()


def _report(
    grades: Sequence[Grade], form: str, feedback: Any, output: Path | None, *, whole_class: bool
) -> None:
    if form == "text":
        _show(grades, feedback, output, whole_class)
        return
    from closedbook.grade.report import html, machine

    if form == "json":
        text = machine.to_json(grades, feedback) + "\n"
    elif form == "junit":
        text = machine.to_junit(grades, feedback)
    elif form == "csv":
        text = machine.to_csv(grades)
    else:
        text = html.to_html(grades, feedback)
    _write(text, output)


def _note_second_half(card: Card, class_: Sequence[HandedIn], *, whole_class: bool) -> None:
    """Say on stderr whose points leave out the half of the task that was not handed in."""
    from closedbook.model.kinds import Task
    from closedbook.paper.points import points_text

    assert isinstance(card.content, Task)  # noqa: S101  _task has seen to it
    without = [given for given in class_ if given.broken is None and given.quote is None]
    if card.content.broken is None or not without:
        return
    who, how = "was not given", "--broken FILE --quote @FILE"
    if whole_class:
        who, how = f"{len(without)} of {len(class_)} did not hand in", "NAME/broken.py, quote.txt"
    worth = points_text(card.content.broken.points)
    click.echo(f"not counted: the second half ({worth}), which {who} ({how})", err=True)


def _write(text: str, output: Path | None) -> None:
    if output is None:
        click.echo(text, nl=False)
    else:
        write_report(output, text)


def _show(grades: Sequence[Grade], feedback: Any, output: Path | None, whole_class: bool) -> None:
    from rich.console import Console

    from closedbook.grade.report.text import show_class, show_grade

    def show(console: Console) -> None:
        if whole_class:
            show_class(grades, console)
        else:
            show_grade(grades[0], console, feedback)

    screen = Console(highlight=False)
    if output is None and screen.is_terminal:
        show(Console(width=min(screen.width, 100), highlight=False))
        return
    page = io.StringIO()
    show(Console(file=page, width=80, highlight=False, color_system=None))
    text = "".join(f"{line.rstrip()}\n" for line in page.getvalue().splitlines())
    _write(text, output)
