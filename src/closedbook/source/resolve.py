"""What a name in a bank's Python stands for: something of a library, of the bank, or unknown."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Mapping
from dataclasses import dataclass

from closedbook.source.python import Module

_BUILTIN = frozenset(dir(builtins))
_OF_MODULE = frozenset({"__file__", "__name__", "__package__", "__doc__", "__path__"})
_DEPTH = 10


@dataclass(frozen=True, slots=True)
class Library:
    """Something of a library or of Python itself, by its full name: ``torch.tensor``."""

    dotted: str


@dataclass(frozen=True, slots=True)
class Sibling:
    """A module of the bank."""

    path: str


@dataclass(frozen=True, slots=True)
class Own:
    """A name that a module of the bank binds by itself."""

    path: str
    name: str


Target = Library | Sibling | Own | None
"""None: not known."""


def target_of(modules: Mapping[str, Module], module: Module, node: ast.expr) -> Target:
    """What a name, or a path of attributes, stands for at the level of a module."""
    if isinstance(node, ast.Name):
        return _of_name(modules, module, node.id)
    if not isinstance(node, ast.Attribute):
        return None
    base = target_of(modules, module, node.value)
    if isinstance(base, Library):
        return Library(f"{base.dotted}.{node.attr}")
    if isinstance(base, Sibling):
        return _within(modules, base.path, node.attr)
    return None


def _of_name(modules: Mapping[str, Module], module: Module, name: str, depth: int = 0) -> Target:
    bindings = module.bindings.get(name, [])
    imported = module.imports.get(name)
    if imported is not None:
        if bindings or depth > _DEPTH or imported.path not in modules:
            return None
        if imported.name is None:
            return Sibling(imported.path)
        return _of_name(modules, modules[imported.path], imported.name, depth + 1)
    if bindings:
        found = {_of_import(module, statement, name) for statement in bindings}
        return found.pop() if len(found) == 1 else Own(module.path, name)
    if module.stars or "*" in module.bindings:
        return None
    if name in _BUILTIN and not depth:
        return Library(f"builtins.{name}")
    return Library(name) if name in _OF_MODULE and not depth else None


def _of_import(module: Module, statement: ast.stmt, name: str) -> Target:
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            if (alias.asname or alias.name.partition(".")[0]) == name:
                return Library(alias.name if alias.asname else name)
    if isinstance(statement, ast.ImportFrom) and not statement.level:
        for alias in statement.names:
            if (alias.asname or alias.name) == name:
                return Library(f"{statement.module}.{alias.name}")
    return Own(module.path, name)


def _within(modules: Mapping[str, Module], path: str, name: str) -> Target:
    module = modules.get(path)
    if module is None:
        return None
    if name in module.bindings or name in module.imports:
        return _of_name(modules, module, name, 1)
    below = path.removesuffix("__init__.py")
    inner = (f"{below}{name}.py", f"{below}{name}/__init__.py")
    return next((Sibling(path) for path in inner if path in modules), None)
