"""What is outside wherever it stands, and statements that bind names as text."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from closedbook.grade.text.breach import Breach
from closedbook.grade.text.lookup import Lookup
from closedbook.grade.text.scopes import identifiers


def odd(_file: Lookup, node: ast.AST) -> Iterator[Breach]:
    """A statement or pattern that no attempt needs."""
    yield Breach(getattr(node, "lineno", 0), f"`{type(node).__name__}`")


def global_(file: Lookup, node: ast.Global) -> Iterator[Breach]:
    """A function that binds the name of an import for the whole file."""
    if file.paths.keys() & set(node.names):
        yield Breach(node.lineno, f"`{ast.unparse(node)}`")


def capture(file: Lookup, node: ast.AST) -> Iterator[Breach]:
    """A handler or a pattern that gives the name of an import to something else."""
    for name in file.paths.keys() & set(identifiers(node)):
        yield Breach(getattr(node, "lineno", 0), f"`{name}` for two things")


def dunders(file: Lookup, node: ast.AST) -> Iterator[Breach]:
    """Python reads names like ``__builtins__`` and ``__name__`` wherever they are bound."""
    if not isinstance(node, ast.FunctionDef) or isinstance(file.parents.get(node), ast.Module):
        for name in identifiers(node):
            if name.startswith("__"):
                yield Breach(getattr(node, "lineno", 0), f"`{name}`")
