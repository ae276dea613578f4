"""The versions that an outcome depends on, told without importing torch."""

from __future__ import annotations

import functools
import hashlib
import os
import platform
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
def engine_version() -> str:
    """A digest of what decides how a check is read and run: the engine's own source."""
    package = Path(__file__).parent.parent
    digest = hashlib.sha256()
    for part in ("verify", "source", "model"):
        for path in sorted((package / part).rglob("*.py")):
            digest.update(path.relative_to(package).as_posix().encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


@functools.cache
def environment() -> str:
    """Engine, Python and torch as one text: part of every receipt's key."""
    return f"{engine_version()} {platform.python_version()} {torch_version()}"
