"""Load a bank's Python by path, as a private package of its own.

``generators/`` becomes a package whose name nobody else has, so relative imports between its
files work, two banks in one process do not meet, and nothing is written beside the sources.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import linecache
import sys
import threading
import traceback
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.machinery import FileFinder, ModuleSpec, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from closedbook.model.marks import MARK, Mark
from closedbook.problem import Place, did_you_mean
from closedbook.verify.job import Setup
from closedbook.verify.run.limit import from_outside
from closedbook.verify.run.scrub import scrub

FOLDER = "generators"
_PREFIX = "_closedbook_bank_"
_LONGEST = 4000
_ENDS = 8
"""Frames that are shown from each end of a deep recursion."""
_LOCK = threading.RLock()


@dataclass(frozen=True, slots=True)
class Failure:
    """Why something of the bank could not be loaded or run, and its innermost frame there.

    It is ``broken`` where the fault is the generator's own: no check at all can use it.
    """

    text: str
    place: Place | None = None
    broken: bool = False


class BrokenGeneratorError(Exception):
    """A definition that no check can use, whatever it gives and expects."""

    def __init__(self, text: str, place: Place | None) -> None:
        super().__init__(text)
        self.failure = Failure(text, place, broken=True)


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A marked definition of the bank, loaded. Two are the same only where they are one object."""

    name: str
    value: Any
    mark: Mark
    place: Place


class _Sources(SourceFileLoader):
    """Compiles the source each time: a stale ``.pyc`` must never stand for the code on a card."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        return compile(self.get_data(path), path, "exec", dont_inherit=True)


class _Finder:
    """Finds the modules of banks, and nothing else."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith(_PREFIX) or path is None:
            return None
        folders: list[str] = []
        for entry in path:
            spec = FileFinder(entry, (_Sources, [".py"])).find_spec(name)
            if spec is not None and spec.loader is not None:
                return spec
            if spec is not None:
                folders += spec.submodule_search_locations or []
        if not folders:
            return None
        spec = ModuleSpec(name, None, is_package=True)
        spec.submodule_search_locations = folders
        return spec


class Generators:
    """The definitions of one bank, each file imported when the first of its names is asked for."""

    def __init__(self, root: Path, paths: Mapping[str, str], version: str) -> None:
        """``paths`` maps names to files relative to ``root``, which is absolute."""
        self.root = root
        self.paths = paths
        digest = hashlib.sha256(f"{root}\0{version}".encode()).hexdigest()[:16]
        self.package = f"{_PREFIX}{digest}"
        self.hung: Counter[str] = Counter()
        self._found: dict[str, Definition | Failure] = {}
        self._broken: dict[str, Failure] = {}

    def get(self, name: str) -> Definition | Failure:
        """Return the marked definition of that name, or why there is none."""
        found = self._found.get(name)
        if found is None:
            found = self._found[name] = self._load(name)
        return found

    def unloaded(self, name: str) -> Failure | None:
        """Return why the file of that name cannot be imported, where that is known by now."""
        return self._broken.get(self.paths.get(name, ""))

    def _load(self, name: str) -> Definition | Failure:
        path = self.paths.get(name)
        if path is None:
            return Failure(f"no generator is called {name!r}{did_you_mean(name, self.paths)}")
        module = self._module(path)
        if isinstance(module, Failure):
            return module
        value = getattr(module, name, None)
        mark = getattr(value, "__dict__", {}).get(MARK)
        if not isinstance(mark, Mark):
            return Failure(
                f"{path} has no {name!r} marked @reference, @flawed or @experiment",
                Place(path),
                broken=True,
            )
        return Definition(name, value, mark, Place(path, _first_line(value)))

    def _module(self, path: str) -> ModuleType | Failure:
        parts = Path(path).with_suffix("").parts[1:]
        if parts and parts[-1] == "__init__":
            parts = parts[:-1]
        with _LOCK:
            if path in self._broken:
                return self._broken[path]
            self._open_package()
            try:
                return importlib.import_module(".".join((self.package, *parts)))
            except BaseException as error:  # a bank's file may raise anything at all
                at = failure_of(error, self.root)
                text = f"{path} cannot be imported: {at.text}"
                if from_outside(error):  # a time limit: remembered, so that no other job waits
                    frames = at.text.partition("\n")[2]
                    text = f"{path} was not imported in time\n{frames}".rstrip()
                broken = Failure(text, at.place or Place(path), broken=True)
                self._broken[path] = broken
                if from_outside(error):
                    raise
                return broken

    def _open_package(self) -> None:
        if self.package in sys.modules:
            return
        if _Finder not in sys.meta_path:
            sys.meta_path.insert(0, _Finder)
        package = ModuleType(self.package)
        package.__path__ = [str(self.root / FOLDER)]
        sys.modules[self.package] = package

    def close(self) -> None:
        """Forget the modules, so that another version of them can be loaded."""
        for name in [key for key in sys.modules if key.split(".")[0] == self.package]:
            del sys.modules[name]
        linecache.checkcache()


def _first_line(value: Any) -> int:
    """The line of the definition itself, below its decorators; 0 where it cannot be told."""
    code = getattr(value, "__code__", None)
    if code is not None:
        return _below_decorators(code.co_filename, code.co_firstlineno, value.__name__)
    for member in vars(value).values():
        code = getattr(getattr(member, "__func__", member), "__code__", None)
        if code is not None:
            return _above(code.co_filename, code.co_firstlineno, value.__name__)
    return 0


def _below_decorators(path: str, line: int, name: str) -> int:
    lines = linecache.getlines(path)
    for number in range(line, len(lines) + 1):
        if lines[number - 1].lstrip().startswith((f"def {name}", f"async def {name}")):
            return number
    return line


def _above(path: str, line: int, name: str) -> int:
    lines = linecache.getlines(path)
    for number in range(min(line, len(lines)), 0, -1):
        if lines[number - 1].lstrip().startswith(f"class {name}"):
            return number
    return line


def shortened(text: str) -> str:
    """Return a text as a report has room for it: without the middle of a very long one."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]} … {text[-half:]}"


def failure_of(error: BaseException, root: Path) -> Failure:
    """Return ``error`` in words: its last line, then the bank's own frames, outermost first."""
    folder = f"{root / FOLDER}/"
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.startswith(folder)
    ]
    places = [Place(frame.filename[len(str(root)) + 1 :], frame.lineno or 0) for frame in frames]
    if isinstance(error, SyntaxError) and (error.filename or "").startswith(folder):
        places.append(Place(str(error.filename)[len(str(root)) + 1 :], error.lineno or 0))
        frames.append(
            traceback.FrameSummary(str(error.filename), error.lineno, "", line=error.text)
        )
    said = scrub("".join(traceback.format_exception_only(error)[-1:]).strip(), root)
    lines = [shortened(said) or type(error).__name__]
    for number, (frame, place) in enumerate(zip(frames, places, strict=True)):
        if number == _ENDS < len(frames) - _ENDS:
            lines.append(f"  … {len(frames) - 2 * _ENDS} more …")
        if _ENDS <= number < len(frames) - _ENDS:
            continue
        where = f" in {frame.name}" if frame.name not in ("", "<module>") else ""
        source = f": {frame.line.strip()}" if frame.line else ""
        lines.append(f"  {place}{where}{source}")
    return Failure("\n".join(lines), places[-1] if places else None)


_LOADED: dict[str, tuple[str, Generators]] = {}


def generators_of(setup: Setup) -> Generators:
    """Return the bank's generators, loaded once a process and version."""
    root = setup.root.resolve()
    with _LOCK:
        held = _LOADED.get(str(root))
        if held is not None and held[0] == setup.version and held[1].paths == setup.paths:
            return held[1]
        if held is not None:
            held[1].close()
        fresh = Generators(root, dict(setup.paths), setup.version)
        _LOADED[str(root)] = (setup.version, fresh)
        return fresh
