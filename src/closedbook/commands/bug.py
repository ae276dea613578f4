"""What is said when closedbook itself fails: where the log is, and what to do with it."""

from __future__ import annotations

import os
import platform
import shlex
import sys
import tempfile
import traceback
from pathlib import Path

import click

from closedbook import __version__


def _log_file() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "closedbook"
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache):
            return cache / "error.log"
    except OSError:
        return Path(tempfile.mkdtemp(prefix="closedbook-")) / "error.log"


def report_bug(error: BaseException) -> None:
    """Write a log with all that a report needs, and say on stderr where it is."""
    log = _log_file()
    words = [
        f"closedbook {__version__}",
        f"Python {platform.python_version()} on {platform.platform()}",
        f"$ cards {shlex.join(sys.argv[1:])}",
        "",
        "".join(traceback.format_exception(error)),
    ]
    log.write_text("\n".join(words), encoding="utf-8")
    click.echo(
        f"This is a bug of closedbook, not a mistake in your cards: "
        f"{type(error).__name__}: {error}\nPlease report it with the log at {log}",
        err=True,
    )
