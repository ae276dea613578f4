"""The command ``cards``: the table of commands, and the exit codes.

A command's module is imported when it is called, so that ``cards --help`` costs no more than
click itself. Exit codes: 0 all is well, 1 the author has something to mend, 2 wrong usage,
3 a bug of closedbook (with a log to report), 130 interrupted.
"""

from __future__ import annotations

import errno
import importlib
import io
import os
import signal
import sys
from collections.abc import Sequence

import click

from closedbook import __version__

COMMANDS: dict[str, str] = {
    "verify": "Check every claim of the bank.",
    "deck": "Verify, then write the Anki deck.",
    "exam": "Verify, then print an exam's papers and keys.",
    "build": "Verify, then write the deck and every exam.",
    "grade": "Grade a file that was written from a blank page.",
    "list": "List the cards of the bank.",
    "show": "Show one card as text, with its evidence.",
    "coverage": "Show what each outcome is covered by.",
    "preview": "Show the bank in a browser, reloading on save.",
    "new": "Print a card of some kind, to start from.",
    "init": "Make a bank that builds at once.",
    "schema": "Print the JSON Schema of card files.",
}
"""Each command and its one line of help. A command is one file in ``commands/``, one row here."""

EXIT_BUG = 3
EXIT_INTERRUPTED = 130
_OF_THE_MACHINE = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO)
"""A full disk, a missing right: nothing that is wrong with closedbook or with the cards."""


class _Commands(click.Group):
    """A group that imports a command's module only when the command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(f"closedbook.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from closedbook.problem import did_you_mean

            ctx.fail(f"No such command {args[0]!r}{did_you_mean(args[0], COMMANDS)}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    name="cards",
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 88},
)
@click.version_option(__version__, prog_name="cards")
def cards() -> None:
    """Flashcards and closed-book exams whose every answer has been run."""


def main(args: Sequence[str] | None = None) -> None:
    """Run ``cards`` and end the process with its exit code.

    Who is asked to end (by a CI server, or a terminal that closes) ends its workers first.
    """
    for wish in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(wish) is signal.SIG_DFL:
            signal.signal(wish, _end)
    sys.exit(run(args))


def _end(number: int, _: object) -> None:
    signal.signal(number, signal.SIG_DFL)  # who asks twice does not wait
    sys.exit(128 + number)


def run(args: Sequence[str] | None = None) -> int:
    """Run ``cards`` and return its exit code; nothing but an exit code leaves here."""
    _open_streams()
    try:
        result = cards.main(args=args, prog_name="cards", standalone_mode=False)
        sys.stdout.flush()
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader (`head`) has gone: say nothing.
        _let_go()
        return 0
    except OSError as error:
        if error.errno not in _OF_THE_MACHINE:
            return _bug(error)
        _let_go()
        where = f": {error.filename}" if error.filename else ""
        click.echo(f"Error: {error.strerror}{where}", err=True)
        return 1
    except Exception as error:  # the edge: whatever is left is our own bug
        return _bug(error)
    return result if isinstance(result, int) else 0


def _open_streams() -> None:
    """Have something to print on where the caller closed it, and print what it cannot encode."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # open as long as the process
        elif isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _let_go() -> None:
    """Keep Python from flushing at exit what nobody takes."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _bug(error: Exception) -> int:
    from closedbook.commands.bug import report_bug

    report_bug(error)
    return EXIT_BUG
