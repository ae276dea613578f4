"""The versions that an outcome depends on, told without importing torch."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
from pathlib import Path

_METADATA = ".dist-info"


@functools.cache
def installed() -> tuple[str, ...]:
    """What is installed, in the order of ``sys.path``: ``numpy-2.4.0``, for one.

    ``importlib.metadata`` takes longer to import than a verify of an unchanged bank may take, so
    only the usual form of an installed package is looked for.
    """
    found: list[str] = []
    for folder in sys.path:
        with contextlib.suppress(OSError):
            names = sorted(name for name in os.listdir(folder or ".") if name.endswith(_METADATA))
            found += [name.removesuffix(_METADATA) for name in names]
    return tuple(found)


@functools.cache
def torch_version() -> str:
    """The installed torch, as its metadata names it (``2.13.0+cpu``); empty where there is none."""
    for distribution in installed():
        if distribution.startswith("torch-"):
            return distribution.removeprefix("torch-")
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("torch")
    except PackageNotFoundError:
        return ""


@functools.cache
def package_digest(*parts: str) -> str:
    """A digest of all files of some of closedbook's packages, their data among them."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for part in parts:
        for folder, folders, names in os.walk(package / part):
            folders[:] = sorted(set(folders) - {"__pycache__"})
            for name in sorted(names):
                if not name.endswith(".pyc"):
                    with open(os.path.join(folder, name), "rb", buffering=0) as file:
                        digest.update(f"{name} ".encode() + file.read())
    return digest.hexdigest()


@functools.cache
def engine_version() -> str:
    """A digest of what decides how a check is read and run: the engine's own source.

    Not the number of the release alone: whoever mends the engine must see its checks run again.
    """
    return package_digest("model", "source", "verify")


_TELLING = ("model", "paper", "render", "source", "verify")
"""The packages whose rules find a whole bank to hold or not."""


def stamp() -> str:
    """What this very installation is, told from its files' sizes and times alone.

    What else is installed counts: a library that reads texts or sets formulas may judge otherwise.

    Cheaper than :func:`environment`, and no good on another machine.
    """
    parts = [sys.version, *installed()]
    package = os.path.dirname(os.path.dirname(__file__))
    folders = [os.path.join(package, part) for part in _TELLING]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.is_file():
                    found = entry.stat()
                    parts.append(f"{entry.path} {found.st_size} {found.st_mtime_ns}")
                elif entry.name != "__pycache__":
                    folders.append(entry.path)
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()


@functools.cache
def environment() -> str:
    """Engine, Python and torch as one text: part of every receipt's key."""
    return f"{engine_version()} {'.'.join(map(str, sys.version_info[:3]))} {torch_version()}"
