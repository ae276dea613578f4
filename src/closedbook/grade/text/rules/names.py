"""Names: which may be bound, and which may be read."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from closedbook.grade.text.breach import Breach
from closedbook.grade.text.lookup import Lookup
from closedbook.grade.text.names import BUILTINS
from closedbook.grade.text.rules.values import bare

_DUNDER_NAMES = {"__name__", "__doc__", "__all__", "__version__", "__author__"}
_CAREFUL = {"hasattr", "type"}
_HARMLESS = {"ascii", "bin", "bytearray", "dir", "input", "memoryview", "oct"}
"""Built-in functions that are not listed, and whose names a file may use for values of its own."""


def name(file: Lookup, node: ast.Name) -> Iterator[Breach]:
    """A name that is bound to something else, or one of what is not listed."""
    yield from _read(file, node) if isinstance(node.ctx, ast.Load) else _bound(file, node)


def _bound(file: Lookup, node: ast.Name) -> Iterator[Breach]:
    name = node.id
    above = file.parents.get(node)
    alias = isinstance(above, ast.Assign | ast.AnnAssign) and file.stored[name] == 1
    alone = alias and name not in file.imported
    if name in file.paths and file.enclosing(node) is None and not alone:
        yield Breach(node.lineno, f"`{name}` for two things")
    elif name.startswith("__") and name not in _DUNDER_NAMES - {"__name__"}:
        yield Breach(node.lineno, f"`{name}`")


def _read(file: Lookup, node: ast.Name) -> Iterator[Breach]:
    name = node.id
    if name.startswith("__") and name not in _DUNDER_NAMES:
        yield Breach(node.lineno, f"`{name}`")
    elif name in file.paths:
        yield from bare(file, node, file.paths[name])
    elif name in vars(builtins) and file.scopes.binder(node) is None:
        if name in _CAREFUL:
            yield from _careful(file, node)
        elif name not in BUILTINS and not (name in _HARMLESS and file.stored[name]):
            yield Breach(node.lineno, f"`{name}`")


def _careful(file: Lookup, node: ast.Name) -> Iterator[Breach]:
    """``hasattr`` asks by a written name; ``type`` is for comparing and printing."""
    call = file.parents.get(node)
    if not (isinstance(call, ast.Call) and call.func is node):
        yield Breach(node.lineno, f"`{node.id}` as a value")
    elif node.id == "type":
        over = file.parents.get(call)
        named = isinstance(over, ast.Attribute) and over.attr == "__name__"
        if not named and not isinstance(over, ast.Compare | ast.FormattedValue):
            yield Breach(node.lineno, "`type(...)` as a value")
    elif not (len(call.args) == 2 and isinstance(call.args[1], ast.Constant)):
        yield Breach(node.lineno, f"`{ast.unparse(call)}`"[:80])
