"""Imports: which modules may be named, and which may be imported and left alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from closedbook.grade.text.breach import Breach
from closedbook.grade.text.lookup import Lookup
from closedbook.grade.text.names import MODULES, Unknown, imports, resolve


def import_(file: Lookup, node: ast.Import | ast.ImportFrom) -> Iterator[Breach]:
    """An import of something unlisted counts once its name is used where it can run."""
    for name, path, statement in imports(node):
        if name in file.twice and name in file.loaded:
            yield Breach(statement.lineno, f"`{name}` for two things")
        if path.endswith(".*"):
            yield Breach(statement.lineno, f"`from {path[:-2]} import *`")
        elif (name in file.loaded and not listed(path)) or not _harmless(path):
            yield Breach(statement.lineno, f"`{path}`")


def listed(path: str) -> bool:
    """Whether a dotted path leads to something in the tables, and no further."""
    try:
        _, reached = resolve(path)
    except Unknown:
        return False
    return reached == path


def _harmless(path: str) -> bool:
    """Whether importing it and never using it does nothing that a grader minds."""
    root = path.partition(".")[0]
    usual = {
        "os",
        "sys",
        "numpy",
        "pytest",
        "unittest",
        "argparse",
        "logging",
        "pathlib",
        "inspect",
    }
    return root in usual or root in {module.partition(".")[0] for module in MODULES}
