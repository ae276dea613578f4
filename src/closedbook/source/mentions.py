"""What a statement of a bank's Python mentions, and the text that stands for it."""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterable, Iterator

from closedbook.source.python import Definition, Module

_Function = ast.FunctionDef | ast.AsyncFunctionDef
Node = tuple[str, str | None]
"""A name in a module (path, name); None for everything in it."""

EFFECTS = ""
"""The name that stands for what a module does when it is imported, beside binding names."""


def words_of(nodes: Iterable[ast.AST]) -> set[str]:
    """The names and attributes that a statement uses, and what it defines."""
    words: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name):
            words.add(node.id)
        elif isinstance(node, ast.Attribute):
            words.add(node.attr)
        elif isinstance(node, Definition):
            words.add(node.name)
        elif isinstance(node, ast.alias):
            words.update(node.name.split("."))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            words.update(node.module.split("."))
    return words


def texts_of(nodes: Iterable[ast.AST]) -> list[str]:
    """The strings in a statement: one may name a file."""
    return [
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]


def dump(module: Module, statement: ast.stmt) -> str:
    """The syntax of a statement, its closedbook decorators left out but for ``isolated``."""
    if not isinstance(statement, Definition):
        return ast.dump(statement)
    ours = [d for d in statement.decorator_list if module.mark_of(d)]
    if not ours:
        return ast.dump(statement)
    isolated = [
        ast.dump(keyword)
        for decorator in ours
        if isinstance(decorator, ast.Call)
        for keyword in decorator.keywords
        if keyword.arg == "isolated"
    ]
    kept = statement.decorator_list
    statement.decorator_list = [d for d in kept if d not in ours]
    try:
        return ast.dump(statement) + "".join(isolated)
    finally:
        statement.decorator_list = kept


def named(modules: dict[str, Module], module: Module, root: ast.AST) -> list[Node]:
    """The names of its module, or of siblings, that a piece of syntax mentions.

    A name that is local to a function but equal to one of the module counts as that one: rather a
    check that runs once too often than one that does not run.
    """
    nodes: list[Node] = []
    whole: dict[str, int] = {}
    skipped = _own_decorators(module, root)
    syntax = list(ast.walk(root))
    for node in (*syntax, *_quoted(syntax)):
        if node in skipped:
            continue
        if isinstance(node, ast.ImportFrom):
            nodes += _imported(modules, module.path, node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            imported = module.imports.get(node.value.id)
            if imported is not None and imported.name is None:
                nodes += _attribute(modules, imported.path, node.attr)
                whole[node.value.id] = whole.get(node.value.id, 0) - 1
        if isinstance(node, ast.Name):
            imported = module.imports.get(node.id)
            if imported is None:
                nodes.append((module.path, node.id))
            elif imported.name is None:
                whole[node.id] = whole.get(node.id, 0) + 1
            else:
                nodes.append((imported.path, imported.name))
    # A module that is handed on as a whole may be used in any way.
    nodes += [(module.imports[name].path, None) for name, uses in whole.items() if uses > 0]
    return nodes


def _quoted(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """The syntax within annotations that are strings: ``get_type_hints`` evaluates them."""
    for node in nodes:
        if isinstance(node, ast.arg | ast.AnnAssign):
            noted = node.annotation
        else:
            noted = node.returns if isinstance(node, _Function) else None
        for text in ast.walk(noted) if noted is not None else ():
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                with contextlib.suppress(SyntaxError, ValueError, RecursionError, MemoryError):
                    yield from ast.walk(ast.parse(text.value, mode="eval"))


def _imported(modules: dict[str, Module], path: str, node: ast.ImportFrom) -> Iterator[Node]:
    """What an import in the midst of other code reaches: a module counts as a whole."""
    package = path.split("/")[: -node.level]
    if not node.level or not package:
        return
    base = "/".join([*package, *(node.module or "").split(".")]).rstrip("/")
    within = [p for p in (f"{base}.py", f"{base}/__init__.py") if p in modules]
    for alias in node.names:
        inner = f"{base}/{alias.name}"
        yield from ((p, None) for p in modules if p == f"{inner}.py" or p.startswith(f"{inner}/"))
        yield from ((p, None if alias.name == "*" else alias.name) for p in within)


def _attribute(modules: dict[str, Module], path: str, name: str) -> list[Node]:
    """What ``module.name`` reaches: a binding, a module of a package, or else all of it."""
    target = modules.get(path)
    if target is not None and (name in target.bindings or name in target.imports):
        return [(path, name)]
    below = path.removesuffix("__init__.py")
    inner = [p for p in (f"{below}{name}.py", f"{below}{name}/__init__.py") if p in modules]
    return [(p, None) for p in (path, *inner)]


def _own_decorators(module: Module, root: ast.AST) -> set[ast.AST]:
    if not isinstance(root, Definition):
        return set()
    ours = [d for d in root.decorator_list if module.mark_of(d)]
    return {node for decorator in ours for node in ast.walk(decorator)}


def packages(path: str, modules: dict[str, Module]) -> list[Node]:
    """The ``__init__.py`` files that run before a module does."""
    parts = path.split("/")[:-1]
    above = ("/".join(parts[: n + 1]) + "/__init__.py" for n in range(len(parts)))
    return [(init, EFFECTS) for init in above if init in modules]
