"""Definitions: which functions may be defined, and what a class may come from and hold."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from closedbook.grade.text.breach import Breach
from closedbook.grade.text.lookup import Lookup
from closedbook.grade.text.names import Unknown, resolve
from closedbook.grade.text.rules.imports import listed

_DUNDER_METHODS = {"__init__", "__call__", "__repr__", "__str__"}
_DUNDER_METHODS |= {"__enter__", "__exit__", "__post_init__"}
_BASES = {"abc.ABC", "typing.Generic", "typing.NamedTuple", "typing.Protocol", "typing.TypedDict"}
_DECORATORS = {"dataclasses.dataclass", "typing.final", "typing.runtime_checkable"}


def function(file: Lookup, node: ast.FunctionDef) -> Iterator[Breach]:
    """A method that Python calls by itself, or a function by the name of an import."""
    name = node.name
    if name.startswith("__") and name not in _DUNDER_METHODS:
        yield Breach(node.lineno, f"`def {name}`")
    if name in file.paths and isinstance(file.parents.get(node), ast.Module):
        yield Breach(node.lineno, f"`{name}` for two things")


def class_(file: Lookup, node: ast.ClassDef) -> Iterator[Breach]:
    """A metaclass, a name for two things, and what its bases, decorators and body do."""
    for keyword in node.keywords:
        yield Breach(node.lineno, f"`class {node.name}({keyword.arg}=...)`")
    if node in file.ambiguous:
        yield Breach(node.lineno, f"`{node.name}` for two things")
    yield from _bases(file, node)
    yield from _decorators(file, node)
    yield from _own_apply(node)


def _bases(file: Lookup, node: ast.ClassDef) -> Iterator[Breach]:
    for base in node.bases:
        path = file.path(base)
        if path is not None and _is_tensor(path):
            yield Breach(node.lineno, f"a subclass of `{path}`")
        elif not (_own_or_plain(file, base) if path is None else _may_be_base(path)):
            yield Breach(node.lineno, f"a subclass of `{ast.unparse(base)}`"[:80])


def _decorators(file: Lookup, node: ast.ClassDef) -> Iterator[Breach]:
    for mark in node.decorator_list:
        called = mark.func if isinstance(mark, ast.Call) else mark
        if file.path(called) not in _DECORATORS:
            yield Breach(node.lineno, f"a decorator of the class `{node.name}`"[:80])


def _own_apply(node: ast.ClassDef) -> Iterator[Breach]:
    for statement in node.body:
        for target in getattr(statement, "targets", []):
            if isinstance(target, ast.Name) and target.id == "apply":
                yield Breach(statement.lineno, f"an `apply` of its own in `{node.name}`")
        if isinstance(statement, ast.FunctionDef) and statement.name == "apply":
            yield Breach(statement.lineno, f"an `apply` of its own in `{node.name}`")


def _own_or_plain(file: Lookup, base: ast.expr) -> bool:
    """A class of the file, ``object``, or an exception: nothing that torch reads in C."""
    if not isinstance(base, ast.Name):
        return False
    known = getattr(builtins, base.id, None)
    plain = isinstance(known, type) and issubclass(known, BaseException)
    return plain or base.id == "object" or (known is None and base.id in file.stored)


def _is_tensor(path: str) -> bool:
    """Whether a class is one of tensors: a subclass of it would lead to torch's own."""
    import torch

    try:
        value, _ = resolve(path)
    except Unknown:
        return False  # an unlisted import, which is named where it is used
    kinds = torch.Tensor, torch.autograd.Variable
    return isinstance(value, type) and issubclass(value, kinds)


def _may_be_base(path: str) -> bool:
    """Whether a class of one's own may come from an imported one; tuples and dicts are no bases."""
    return path in _BASES or path.startswith("torch.") or not listed(path)
