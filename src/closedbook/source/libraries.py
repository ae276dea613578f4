"""Which libraries a bank's Python imports, and in which versions they are installed."""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator

TOLD = frozenset({*sys.stdlib_module_names, "closedbook", "torch"})
"""Modules whose versions every receipt holds anyway: Python's own, the engine's, torch's."""


def imported_libraries(statement: ast.stmt) -> set[str]:
    """The top-level modules that a statement imports, wherever in it, siblings left out."""
    return {name for node in ast.walk(statement) for name in _modules(node)} - TOLD


def _modules(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module.partition(".")[0]


@functools.cache
def version_of(module: str) -> str:
    """The version of what provides a module (``PIL`` is ``pillow 12.0``); empty where nothing does.

    Imported here, for most banks need no library and their verify no metadata.
    """
    from importlib import metadata

    try:
        return f"{module} {metadata.version(module)}"
    except metadata.PackageNotFoundError:
        names = sorted(set(metadata.packages_distributions().get(module, ())))
        return ", ".join(f"{name} {metadata.version(name)}" for name in names)
