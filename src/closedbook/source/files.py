"""Which files make a bank."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from closedbook.problem import Place, Problem

YAML = (".yaml", ".yml")
LEDGER = "ledger.yaml"
"""In exams/: what earlier papers used, written by 'cards exam --record'; no blueprint."""


@dataclass(slots=True)
class UnitFiles:
    """A folder of ``cards/``: its ``unit.yaml`` (None where there is none) and its card files."""

    name: str
    info: Path | None
    cards: list[Path] = field(default_factory=list)


@dataclass(slots=True)
class BankFiles:
    """The files of a bank, each list in the order of names."""

    root: Path
    info: Path | None = None
    units: list[UnitFiles] = field(default_factory=list)
    exams: list[Path] = field(default_factory=list)
    generators: list[Path] = field(default_factory=list)
    data: list[Path] = field(default_factory=list)
    """What lies beside the generators, for them to read."""
    problems: list[Problem] = field(default_factory=list)

    def all(self) -> Iterator[Path]:
        """Every file, in the order in which it is read."""
        if self.info:
            yield self.info
        yield from self.generators
        for unit in self.units:
            if unit.info:
                yield unit.info
            yield from unit.cards
        yield from self.exams


def bank_files(root: Path) -> BankFiles:
    """List the files of the bank in ``root``. Links that lead out of it are problems."""
    files = BankFiles(root)
    home = root.resolve()
    cards = root / "cards"
    for entry in _entries(cards, root, files.problems) if _may_enter(cards, files, home) else ():
        path = cards / entry.name
        if _is_folder(entry):
            if path.suffix in YAML:
                files.problems.append(_folder_for_file(path, root))
            elif not entry.name.startswith(("_", ".")):
                _unit(files, path, home)
        elif path.name == "bank.yaml":
            files.info = path if _inside(path, root, home, files.problems) else None
        elif path.suffix in YAML:
            place = Place(relative(path, root))
            advice = "a card file stands in a unit's folder, cards/UNIT/, beside its unit.yaml"
            files.problems.append(Problem(place, advice))
    if _may_enter(root / "exams", files, home):
        files.exams = _walk(files, root / "exams", home, YAML)
    if _may_enter(root / "generators", files, home):
        files.generators = _walk(files, root / "generators", home, (".py",), files.data)
    files.exams = [path for path in files.exams if path.name != LEDGER]
    return files


def _may_enter(folder: Path, files: BankFiles, home: Path) -> bool:
    """Whether one of the bank's folders stands in the bank."""
    return not folder.is_symlink() or _inside(folder, files.root, home, files.problems)


def relative(path: Path, root: Path) -> str:
    """A file's name within the bank, with ``/`` between its parts."""
    name = path.relative_to(root).as_posix()
    # A name that is no text (bytes of another encoding) can still be told.
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _unit(files: BankFiles, folder: Path, home: Path) -> None:
    found = _walk(files, folder, home, YAML)
    if not found:
        return
    info = folder / "unit.yaml"
    unit = UnitFiles(folder.name, info if info in found else None)
    unit.cards = [path for path in found if path != info]
    if unit.info is None and not (info.is_symlink() or info.is_dir()):
        place = Place(relative(folder, files.root))
        message = "the unit has no unit.yaml (title, deck, outcomes)"
        files.problems.append(Problem(place, message))
    files.units.append(unit)


def _walk(
    files: BankFiles,
    folder: Path,
    home: Path,
    suffixes: tuple[str, ...],
    others: list[Path] | None = None,
) -> list[Path]:
    """The files below a folder, by name; hidden ones and caches left out.

    Files of another suffix go into ``others``, wherever their links lead.
    """
    found: list[Path] = []
    for entry in _entries(folder, files.root, files.problems):
        path = folder / entry.name
        if entry.name.startswith(".") or entry.name == "__pycache__":
            continue
        if _is_folder(entry):
            if entry.is_symlink():
                _inside(path, files.root, home, files.problems, folder=True)
            elif path.suffix in suffixes:
                files.problems.append(_folder_for_file(path, files.root))
            else:
                found += _walk(files, path, home, suffixes, others)
        elif path.suffix not in suffixes:
            if others is not None:
                others.append(path)
        elif _inside(path, files.root, home, files.problems):
            found.append(path)
    return found


def _folder_for_file(path: Path, root: Path) -> Problem:
    message = "this is a folder, though it is named like a file: rename it, or put the file here"
    return Problem(Place(relative(path, root)), message)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link that leads back to itself


def _entries(folder: Path, root: Path, problems: list[Problem]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        problems.append(Problem(Place(relative(folder, root)), f"cannot be read: {reason}"))
        return []


def _inside(
    path: Path, root: Path, home: Path, problems: list[Problem], *, folder: bool = False
) -> bool:
    """Whether a file stands in the bank once its links are followed; a problem where not."""
    if not path.is_symlink():
        return True
    place = Place(relative(path, root))
    if folder:
        problems.append(Problem(place, "a link to a folder is not followed: move the folder here"))
        return False
    try:
        target = path.resolve(strict=True)
    except (OSError, RuntimeError):
        problems.append(Problem(place, "this link leads nowhere"))
        return False
    if target.is_relative_to(home):
        return True
    problems.append(Problem(place, "this link leads out of the bank: put the file itself here"))
    return False
