"""Modules, and classes of torch, may be named to reach into them, not handed around."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from closedbook.grade.text.breach import Breach
from closedbook.grade.text.lookup import Lookup
from closedbook.grade.text.names import Unknown, resolve


def bare(file: Lookup, node: ast.expr, path: str) -> Iterator[Breach]:
    """A module, or a class of torch, may be named to reach into it, not handed around."""
    parent = file.parents.get(node)
    if isinstance(parent, ast.Attribute):
        return
    try:
        value, _ = resolve(path)
    except Unknown:
        return
    if hasattr(value, "__path__") or type(value).__name__ == "module":
        yield Breach(node.lineno, f"the module `{path}` as a value")
    elif isinstance(value, type) and not _class_in_place(file, node):
        yield Breach(node.lineno, f"the class `{path}` as a value")


def _class_in_place(file: Lookup, node: ast.expr) -> bool:
    child: ast.AST = node
    for parent in file.above(node):
        field = file.scopes.fields[child]
        if isinstance(parent, ast.Call) and (_tests_class(parent, child) or field == "func"):
            return True
        if isinstance(parent, ast.ClassDef):
            return field in {"bases", "decorator_list"}
        if isinstance(parent, ast.arg) or (isinstance(parent, ast.AnnAssign) and field != "value"):
            return field == "annotation"
        if isinstance(parent, ast.FunctionDef):
            return field in {"returns", "decorator_list"}
        if isinstance(parent, ast.ExceptHandler):
            return field == "type"
        if isinstance(parent, ast.Assign | ast.AnnAssign):
            hint = parent.value is not None and _is_hint(file, parent.value)
            return (child is node or hint) and file.enclosing(parent) is None
        if not isinstance(parent, ast.Subscript | ast.BinOp | ast.Tuple | ast.List | ast.Raise):
            return False
        child = parent
    return False


def _tests_class(call: ast.Call, child: ast.AST) -> bool:
    """Whether ``child`` is the class in ``isinstance(x, child)``."""
    named = isinstance(call.func, ast.Name) and call.func.id in {"isinstance", "issubclass"}
    return named and child is not call.args[0]


def _is_hint(file: Lookup, node: ast.expr) -> bool:
    """Whether an expression is a type and nothing else: ``Optional[Tensor]``, ``A | None``."""
    if isinstance(node, ast.Subscript):
        path = file.path(node.value)
        return (path or "").startswith("typing.") and _is_hint(file, node.slice)
    if isinstance(node, ast.BinOp):
        union = isinstance(node.op, ast.BitOr)
        return union and _is_hint(file, node.left) and _is_hint(file, node.right)
    if isinstance(node, ast.Tuple):
        return all(_is_hint(file, element) for element in node.elts)
    return isinstance(node, ast.Name | ast.Attribute | ast.Constant)
