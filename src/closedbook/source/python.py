"""A bank's Python as syntax: which names a module binds, and to what. Nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from closedbook.problem import Place, Problem
from closedbook.source.harmless import CHANGING
from closedbook.source.quiet import quiet
from closedbook.source.siblings import Siblings
from closedbook.source.text import Lines

MARKS = ("reference", "flawed", "experiment")
Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Imported:
    """A name that comes from a sibling module: ``path`` and the name there (None: the module)."""

    path: str
    name: str | None


@dataclass(slots=True)
class Module:
    """One file of ``generators/``.

    ``bindings`` maps each name of the module to the statements that bind or change it,
    ``imports`` the names that come from sibling modules. ``stars`` are the siblings whose names it
    imports all, ``runs`` those that run when it does. ``marks`` maps the local names of
    closedbook's decorators (``reference``, or ``cb.reference``) to their own. ``rebinds``: a
    function in it may bind names of the scopes around it.
    """

    path: str
    lines: Lines
    tree: ast.Module
    bindings: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, Imported] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)
    rebinds: bool = True

    def definition(self, name: str) -> Definition | None:
        """The class or function that the name was last bound to, where it is one."""
        for statement in reversed(self.bindings.get(name, [])):
            if isinstance(statement, Definition) and statement.name == name:
                return statement
        return None

    def mark_of(self, decorator: ast.expr) -> str | None:
        """Which of closedbook's decorators this is."""
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        return self.marks.get(ast.unparse(called))


def parse_modules(sources: dict[str, str]) -> tuple[dict[str, Module], list[Problem]]:
    """The modules of a bank by path, and the files that are no Python."""
    modules: dict[str, Module] = {}
    problems: list[Problem] = []
    for path, text in sources.items():
        lines = Lines(text)
        try:
            with quiet():
                tree = ast.parse(text)
        except SyntaxError as error:
            place = Place(path, error.lineno or 0, error.offset or 0)
            excerpt = lines.line(place.line) if place.line else None
            problems.append(Problem(place, f"this is not Python: {error.msg}", excerpt=excerpt))
        except (ValueError, RecursionError, MemoryError) as error:
            problems.append(
                Problem(Place(path), f"this is not Python: {error or 'nested too deeply'}")
            )
        else:
            rebinds = "global" in text or "nonlocal" in text
            modules[path] = Module(path, lines, tree, rebinds=rebinds)
    siblings = Siblings(sources)
    for module in modules.values():
        _bind(module, siblings)
    return modules, problems


def _bind(module: Module, siblings: Siblings) -> None:
    for statement in module.tree.body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            _bind_import(module, statement, siblings)
            continue
        for name in set(_bound(statement, rebinds=module.rebinds)):
            module.bindings.setdefault(name, []).append(statement)
        if not isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.Assign):
            _note_inner_imports(module, statement, siblings)


def _note_inner_imports(module: Module, statement: ast.stmt, siblings: Siblings) -> None:
    """Note what an import in a branch, a ``try`` or a class runs along with its module."""
    todo: list[ast.AST] = [statement]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            files = siblings.run_by(module.path, node)
            module.runs += files
            if any(alias.name == "*" for alias in node.names):
                module.stars += files
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.expr):
            todo += ast.iter_child_nodes(node)


def _bound(statement: ast.stmt, *, rebinds: bool) -> Iterator[str]:
    """The module-level names that a statement binds, or whose objects it changes."""
    if isinstance(statement, Definition):
        yield statement.name
        for node in ast.walk(statement) if rebinds else ():
            if isinstance(node, ast.Global):
                yield from node.names
        return
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.id
        elif isinstance(node, Definition):
            yield node.name
        elif isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.ctx, ast.Store):
            root: ast.expr = node
            while isinstance(root, ast.Subscript | ast.Attribute):
                root = root.value
            if isinstance(root, ast.Name):
                yield root.id
        elif isinstance(node, ast.Call) and (changed := changed_name(node)):
            yield changed
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield (alias.asname or alias.name).split(".")[0]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name


def changed_name(call: ast.Call) -> str:
    """The name whose object is changed by a method of Python's containers; empty where none is."""
    method = call.func
    if isinstance(method, ast.Attribute) and method.attr in CHANGING:
        return method.value.id if isinstance(method.value, ast.Name) else ""
    return ""


def _bind_import(
    module: Module, statement: ast.Import | ast.ImportFrom, siblings: Siblings
) -> None:
    _note_marks(module, statement)
    files = siblings.run_by(module.path, statement)
    module.runs += files
    if isinstance(statement, ast.Import) or statement.level == 0:
        for alias in statement.names:
            if alias.name == "*":
                module.stars += files
            name = alias.asname or alias.name.split(".")[0]
            module.bindings.setdefault(name, []).append(statement)
        return
    package = module.path.split("/")[: -statement.level]
    if not package:
        return
    base = "/".join([*package, *(statement.module or "").split(".")]).rstrip("/")
    for alias in statement.names:
        name = alias.asname or alias.name
        within = siblings.at(base)
        below = siblings.at(f"{base}/{alias.name}")
        if alias.name == "*" and within:
            module.stars.append(within)
        elif below is not None:
            module.imports[name] = Imported(below, None)
        elif within is not None:
            module.imports[name] = Imported(within, alias.name)
        else:
            module.bindings.setdefault(name, []).append(statement)


def _note_marks(module: Module, statement: ast.Import | ast.ImportFrom) -> None:
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            if alias.name == "closedbook":
                local = alias.asname or alias.name
                module.marks.update({f"{local}.{mark}": mark for mark in MARKS})
        elif statement.module == "closedbook" and alias.name in MARKS:
            module.marks[alias.asname or alias.name] = alias.name
