"""Each mistake that an author can make has its message, judged to the letter.

``tests/problems/CASE.yaml`` is a card file that is put into the bank ``tests/problems/bank`` as
``cards/linear/cards.yaml``; a folder ``tests/problems/CASE`` is laid over that bank; what neither
can hold (links, permissions, encodings) is built in :mod:`builders`. What ``load_bank`` then
reports stands in ``tests/problems/CASE.txt``.

After a change to the messages, ``WRITE_PROBLEMS=1 pytest tests/source/test_problems.py`` writes
the ``.txt`` files anew; read their diff before it is committed.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from closedbook.source import load_bank
from tests.source.builders import BUILDERS

CASES = Path(__file__).parents[1] / "problems"
NAMES = sorted(
    {path.stem for path in CASES.glob("*.yaml")}
    | {path.name for path in CASES.iterdir() if path.is_dir() and path.name != "bank"}
    | set(BUILDERS)
)


def lay(case: str, root: Path) -> None:
    """Lay the bank of a case into ``root``."""
    shutil.copytree(CASES / "bank", root, dirs_exist_ok=True)
    if (CASES / f"{case}.yaml").exists():
        shutil.copyfile(CASES / f"{case}.yaml", root / "cards/linear/cards.yaml")
    if (CASES / case).is_dir():
        shutil.copytree(CASES / case, root, dirs_exist_ok=True)
    if case in BUILDERS:
        BUILDERS[case](root)


@pytest.fixture
def root() -> Iterator[Path]:
    """A folder that every user may enter, unlike pytest's own."""
    with tempfile.TemporaryDirectory(prefix="closedbook-") as folder:
        os.chmod(folder, 0o755)  # noqa: S103  (another user has to read it)
        yield Path(folder) / "bank"


@contextmanager
def no_superuser() -> Iterator[None]:
    """Read as somebody to whom permissions apply, where the tests run as root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("case", NAMES)
def test_an_authors_mistake_is_told_to_the_letter(case: str, root: Path) -> None:
    """A mistake is reported with its place, its line and advice, and with nothing else."""
    lay(case, root)
    with no_superuser():
        _, problems = load_bank(root)
    told = "".join(f"{problem}\n" for problem in problems)
    expected = CASES / f"{case}.txt"
    if os.environ.get("WRITE_PROBLEMS"):
        expected.write_text(told, encoding="utf-8")
    assert told == expected.read_text(encoding="utf-8")
    assert told, "a case is a mistake"
    assert str(root) not in told


def test_every_expected_text_has_its_case() -> None:
    """No expected text is left over from a case that is gone."""
    assert {path.stem for path in CASES.glob("*.txt")} == set(NAMES)
