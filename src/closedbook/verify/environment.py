"""The versions that an outcome depends on, told without importing torch."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from pathlib import Path


@functools.cache
def torch_version() -> str:
    """The installed torch, as its metadata names it (``2.13.0+cpu``); empty where there is none.

    ``importlib.metadata`` takes longer to import than a verify of an unchanged bank may take, so
    the usual form of an installed package is looked for first.
    """
    for folder in sys.path:
        try:
            with os.scandir(folder or ".") as entries:
                for entry in entries:
                    if entry.name.startswith("torch-") and entry.name.endswith(".dist-info"):
                        return entry.name[len("torch-") : -len(".dist-info")]
        except OSError:
            continue
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("torch")
    except PackageNotFoundError:
        return ""


@functools.cache
def package_digest(*parts: str) -> str:
    """A digest of the source of some of closedbook's packages."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for part in parts:
        for folder, folders, names in os.walk(package / part):
            folders.sort()
            for name in sorted(names):
                if name.endswith(".py"):
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

    Cheaper than :func:`environment`, and no good on another machine.
    """
    parts = [sys.version, torch_version()]
    package = os.path.dirname(os.path.dirname(__file__))
    folders = [os.path.join(package, part) for part in _TELLING]
    while folders:
        with os.scandir(folders.pop()) as entries:
            for entry in entries:
                if entry.name.endswith(".py"):
                    found = entry.stat()
                    parts.append(f"{entry.path} {found.st_size} {found.st_mtime_ns}")
                elif entry.name != "__pycache__" and entry.is_dir():
                    folders.append(entry.path)
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()


@functools.cache
def environment() -> str:
    """Engine, Python and torch as one text: part of every receipt's key."""
    return f"{engine_version()} {'.'.join(map(str, sys.version_info[:3]))} {torch_version()}"
