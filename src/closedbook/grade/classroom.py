"""A folder of attempts, graded side by side; one crash never touches the next."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from closedbook.grade.broken import LARGEST_QUOTE, grade_broken
from closedbook.grade.grading import Assignment, grade_attempt
from closedbook.grade.printable import clean
from closedbook.grade.text.attempt import read_attempt
from closedbook.grade.verdict import Grade

if TYPE_CHECKING:
    from closedbook.grade.sandbox.sandbox import Sandbox

BROKEN, QUOTE = "broken.py", "quote.txt"


@dataclass(frozen=True, slots=True)
class HandedIn:
    """One learner's files. ``name`` is what the table calls them."""

    name: str
    attempt: Path
    broken: Path | None = None
    quote: str | None = None


def handed_in(folder: Path, file: str) -> list[HandedIn]:
    """What a folder holds: ``NAME.py``, or ``NAME/`` with the task's file in it.

    A learner's folder may hold the second half as ``broken.py`` and ``quote.txt``. Sorted by name.
    """
    found = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith((".", "__pycache__")):
            continue
        if path.suffix == ".py":
            found.append(HandedIn(_shown(path.stem), path))
        elif path.is_symlink():
            # Followed it would show another's files; left out, nobody would miss the learner.
            found += [HandedIn(_shown(path.name), path)] if _leads_to_a_folder(path) else []
        elif path.is_dir():
            found.append(_of_folder(path, file))
    counts = Counter(clean(given.name) for given in found)
    return [
        _told_apart(given, folder) if counts[clean(given.name)] > 1 else given for given in found
    ]


def _shown(name: str) -> str:
    """A file's name as text, where it holds bytes that are none."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _leads_to_a_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False  # a link that goes round, or into what is closed


def _told_apart(given: HandedIn, folder: Path) -> HandedIn:
    """Of two that would be called the same, each by what it is: ``ada.py`` and ``ada/``."""
    end = given.attempt.suffix if given.attempt.parent == folder else "/"
    return replace(given, name=f"{ascii(given.name)[1:-1]}{end}")


def _of_folder(path: Path, file: str) -> HandedIn:
    attempt, broken, text = path / file, None, None
    try:
        others = [p for p in sorted(path.glob("*.py")) if p.name not in (file, BROKEN)]
        if not attempt.exists() and len(others) == 1:
            attempt = others[0]
        broken, quote = path / BROKEN, path / QUOTE
        broken = broken if broken.exists() or broken.is_symlink() else None
        if quote.is_file() and not quote.is_symlink():
            with open(quote, "rb") as opened:
                text = opened.read(LARGEST_QUOTE).decode("utf-8", "replace")
    except OSError:
        broken = None  # it is closed to the grader: reading the attempt says so
    return HandedIn(_shown(path.name), attempt, broken, text)


def grade_one(
    assignment: Assignment, given: HandedIn, sandbox: Sandbox, seed: int | None = None
) -> Grade:
    """Both halves of one learner's work; the second only where some of it was handed in."""
    attempt = read_attempt(given.attempt, given.attempt.name)
    grade = grade_attempt(assignment, attempt, sandbox, seed=seed)
    if given.broken is not None or given.quote is not None:
        broken = read_attempt(given.broken) if given.broken is not None else None
        more = grade_broken(assignment, broken, given.quote, sandbox, grade.seed)
        grade = replace(grade, marks=(*grade.marks, *more))
    return replace(grade, attempt=given.name)


def grade_class(
    assignment: Assignment,
    class_: Sequence[HandedIn],
    sandbox: Sandbox,
    *,
    jobs: int,
    seed: int | None = None,
    done: Callable[[Grade], None] = lambda grade: None,
) -> list[Grade]:
    """Grade everybody, ``jobs`` at a time, in the order given; ``done`` hears of each."""

    def one(given: HandedIn) -> Grade:
        grade = grade_one(assignment, given, sandbox, seed)
        done(grade)
        return grade

    with ThreadPoolExecutor(max_workers=jobs) as pool:
        return list(pool.map(one, class_))
