"""``cards verify``: every claim checked, every rule applied."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from closedbook.commands.common import (
    bank_option,
    bank_root,
    check_known,
    jobs_option,
    write_report,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from closedbook.problem import Problem
    from closedbook.verify.options import Options
    from closedbook.verify.report import Report

FORMAT_NAMES = ("text", "json", "junit", "github")
_REMEMBERED = ("text", "github")
"""Formats that list no cards: a bank that has not changed is reported without reading it."""


def _parse_shard(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[int, int] | None:
    if value is None:
        return None
    index, slash, count = value.partition("/")
    if slash and index.isdecimal() and count.isdecimal() and 1 <= int(index) <= int(count):
        return int(index), int(count)
    raise click.BadParameter("a shard is written 1/4: the first of four")


@click.command(name="verify")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@bank_option
@jobs_option
@click.option(
    "--format",
    "format_name",
    type=click.Choice(FORMAT_NAMES),
    default="text",
    help="How to report (default: text).",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the report into FILE; the screen shows it as text.",
)
@click.option("--unit", "-u", "units", multiple=True, metavar="U", help="Only the cards of a unit.")
@click.option(
    "-k", "words", metavar="WORDS", help="Only cards whose id, kind, tags or outcomes hold WORDS."
)
@click.option("--shard", callback=_parse_shard, metavar="I/N", help="Only the I-th of N shares.")
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    metavar="N",
    help="Draws of a varying card to look at (default: 2000; all, where there are no more).",
)
@click.option("--fresh", is_flag=True, help="Run every check again, whatever receipts say.")
@click.option(
    "--executor",
    metavar="URL",
    help="Run checks on a cluster: dask://host:port (needs closedbook[cluster]).",
)
@click.pass_context
def command(
    ctx: click.Context,
    paths: tuple[str, ...],
    bank_dir: Path | None,
    jobs: int | None,
    format_name: str,
    output: Path | None,
    units: tuple[str, ...],
    words: str | None,
    shard: tuple[int, int] | None,
    draws: int | None,
    fresh: bool,
    executor: str | None,
) -> None:
    """Check every claim of the bank, and read every text against the rules.

    PATH narrows it to card files or folders. Exit code 0: all hold; 1: some do not; 2: wrong
    usage.
    """
    from closedbook.verify.options import WALK_LIMIT, Options

    root = bank_root(bank_dir)
    options = Options(
        jobs=jobs,
        fresh=fresh,
        draws=draws or WALK_LIMIT,
        shard=shard,
        paths=tuple(_in_bank(path, root) for path in paths),
        units=units,
        words=tuple((words or "").split()),
        executor=executor,
    )
    names = {format_name, "text"} if output else {format_name}
    report = _verify(root, options, remembered=names <= set(_REMEMBERED))
    _print(report, format_name, output, root)
    ctx.exit(1 if report.failed else 0)


def _in_bank(path: str, root: Path) -> str:
    """A path as the bank's cards name theirs. Ends the command with 2 where there is no such."""
    for candidate in (Path(path), root / path):
        if candidate.exists():
            inner = os.path.relpath(candidate.resolve(), root.resolve())
            if not inner.startswith(".."):
                return Path(inner).as_posix()
            raise click.UsageError(f"{path} lies outside of the bank in {root}")
    raise click.UsageError(f"there is no {path}, neither here nor in the bank")


def _verify(root: Path, options: Options, *, remembered: bool) -> Report:
    """The report of this run, or of the one that found these very files to hold."""
    import time

    from closedbook.verify.receipts import snapshot

    started = time.perf_counter()
    store = root / "build"
    hashes = key = None
    if options.whole and options.executor is None:
        hashes = snapshot.hash_files(root)
        key = snapshot.key_of_files(hashes, options.draws)
        known = snapshot.recall(store, key) if remembered and not options.fresh else None
        if known is not None:
            known.seconds = time.perf_counter() - started
            return known
    report, read = _verify_all(root, options)
    report.seconds = time.perf_counter() - started
    sound = key is not None and hashes is not None and snapshot.agrees(hashes, read)
    if sound and not report.failed:
        snapshot.remember(store, str(key), report)
    return report


def _verify_all(root: Path, options: Options) -> tuple[Report, dict[str, str]]:
    """Read and verify the bank; what can be read is verified even where the rest cannot."""
    from closedbook.commands.deck import keep_notes
    from closedbook.commands.verifying import verify_with_progress
    from closedbook.paper.check import check_papers
    from closedbook.problem import has_errors
    from closedbook.source import load_bank
    from closedbook.verify.report import Report
    from closedbook.verify.select import chosen

    if options.fresh and options.executor is None and options.jobs != 0:
        from closedbook.verify.workers.backends import start_server

        start_server()
    bank, problems = load_bank(root, drawn=not options.whole)
    report = Report()
    if bank is not None:
        check_known("unit", options.units, {unit.id for unit in bank.units} | bank.unread_units)
        if not (options.whole or problems or chosen(bank, options)):
            raise click.UsageError("no card of the bank is among those that are asked for")
        if options.whole and not has_errors(problems):
            problems = [*problems, *check_papers(bank)]
        verified, report = verify_with_progress(bank, options=options)
        if verified is not None and options.whole and not has_errors(problems):
            keep_notes(verified)
    report.problems = _merged(problems, report.problems)
    return report, dict(bank.digests) if bank is not None else {}


def _merged(read: Sequence[Problem], drawn: Sequence[Problem]) -> list[Problem]:
    """What reading and drawing found, which may be the same: who draws says in how many draws.

    Where reading alone found an error, as in a value that YAML has torn apart, what drawing made
    of that value is no second one.
    """
    found = {(problem.place, problem.message): problem for problem in drawn}
    alone = [p for p in read if (p.place, p.message) not in found]
    torn = {problem.place for problem in alone if problem.severity == "error"}
    kept = [problem for problem in found.values() if problem.place not in torn]
    return sorted([*alone, *kept], key=lambda problem: problem.place)


def _print(report: Report, format_name: str, output: Path | None, root: Path) -> None:
    """The report on the screen, or in a file and as text on the screen."""
    if output is not None:
        write_report(output, _written(report, format_name, root), errors="backslashreplace")
    elif format_name != "text":
        click.echo(_written(report, format_name, root), nl=False)
        return
    text = _written(report, "text", root)
    if sys.stdout.isatty() and "NO_COLOR" not in os.environ:
        text = _coloured(text, report)
    click.echo(text, nl=False)


def _coloured(text: str, report: Report) -> str:
    """The same text, the first line of each problem and the verdict in colour."""
    for problem in report.problems:
        head = str(problem).partition("\n")[0]
        color = "red" if problem.severity == "error" else "yellow"
        text = text.replace(f"{head}\n", f"{click.style(head, fg=color, bold=True)}\n", 1)
    verdict = "errors" if report.failed else "all hold"
    color = "red" if report.failed else "green"
    before, found, after = text.rpartition(f": {verdict}")
    if not found:
        return text
    return f"{before}: {click.style(verdict, fg=color, bold=True)}{after}"


def _written(report: Report, format_name: str, root: Path) -> str:
    from closedbook.verify.formats import write

    if format_name != "github":
        return write(report, format_name)
    from closedbook.verify.formats.github import bank_prefix

    return write(report, format_name, bank_prefix(root))
