"""Attributes: which may be asked for, and which may be written."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator

from closedbook.grade.text.breach import Breach
from closedbook.grade.text.lookup import Lookup
from closedbook.grade.text.names import Unknown, kept_attributes, resolve
from closedbook.grade.text.rules.values import bare

_LEAVES = {"grad", "requires_grad"}
_METHODS = {"forward", "setup_context", "backward", "apply"}
_CTX_METHODS = {"forward", "setup_context", "backward", "jvp", "vjp"}
_SPECS = 3
"""How deep fields of fields are read: one level more than format itself goes."""


def attribute(file: Lookup, node: ast.Attribute) -> Iterator[Breach]:
    """A write to what is not one's own, a path or an attribute that is not listed."""
    if not isinstance(node.ctx, ast.Load):
        if not _may_store(file, node):
            yield Breach(node.lineno, f"a write to `{ast.unparse(node)}`"[:80])
        return
    path = file.path(node)
    if path is not None:
        try:
            _, reached = resolve(path)
        except Unknown:
            yield Breach(node.lineno, f"`{ast.unparse(node)}`"[:80])
            return
        if reached == path:
            yield from bare(file, node, path)
            return
    if node.attr == "__init__" and isinstance(node.value, ast.Call):
        return
    if node.attr not in file.known and node.attr != "__name__":
        yield Breach(node.lineno, f"`.{node.attr}`")
    elif node.attr in {"format", "format_map"} and not _plain_format(node):
        yield Breach(node.lineno, f"`.{node.attr}` of a text that reaches into its values")


def _may_store(file: Lookup, node: ast.Attribute) -> bool:
    """On ``ctx``, in methods and in helpers, on ``self``; on leaves, at the top of the file."""
    function = file.enclosing(node)
    owner = file.parents.get(function) if function is not None else None
    if function is None and isinstance(node.value, ast.Name) and node.attr in _LEAVES:
        return node.value.id not in file.paths
    if not (isinstance(node.value, ast.Name) and isinstance(function, ast.FunctionDef)):
        return False
    helper = not isinstance(owner, ast.ClassDef)
    if node.attr.startswith("__") or (helper and node.value.id != "ctx"):
        return False
    if node.attr in _METHODS or node.attr in kept_attributes():
        return False
    first = [*function.args.posonlyargs, *function.args.args][:1]
    name = node.value.id
    bound = file.binds(function)[name]
    separate = function.name == "forward" and any(
        isinstance(other, ast.FunctionDef) and other.name == "setup_context"
        for other in getattr(owner, "body", ())
    )
    marks = [d for d in function.decorator_list if isinstance(d, ast.Name)]
    static = any(mark.id == "staticmethod" for mark in marks)
    takes = helper or function.name in _CTX_METHODS or not static
    return bool(first) and first[0].arg == name and bound == 1 and takes and not separate


def _plain_format(node: ast.Attribute) -> bool:
    """Whether ``"{:.3f}".format`` is of a written text that asks its values for no attribute."""
    text = node.value.value if isinstance(node.value, ast.Constant) else None
    return isinstance(text, str) and node.attr == "format" and _fields_are_names(text)


def _fields_are_names(text: str) -> bool:
    texts = [text]
    for _ in range(_SPECS):
        fields = [found for part in texts for found in _fields(part)]
        if any({".", "["} & set(name) for name, _ in fields):
            return False
        texts = [spec for _, spec in fields]
    return True


def _fields(text: str) -> list[tuple[str, str]]:
    """The name and the specification, which may hold fields of its own, of each field."""
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:
        return []  # format itself refuses it
    return [(field, spec or "") for _, field, spec, _ in parts if field is not None]
