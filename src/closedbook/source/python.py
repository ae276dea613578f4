"""A bank's Python as syntax: which names a module binds, and to what. Nothing is run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from closedbook.problem import Place, Problem
from closedbook.source.quiet import quiet
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
    ``imports`` the names that come from sibling modules, ``stars`` the siblings that are imported
    whole, ``effects`` the statements that bind nothing and so may touch anything. ``marks`` maps
    the local names of closedbook's decorators (``reference``, or ``cb.reference``) to their own.
    """

    path: str
    lines: Lines
    tree: ast.Module
    bindings: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imports: dict[str, Imported] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)
    effects: list[ast.stmt] = field(default_factory=list)
    marks: dict[str, str] = field(default_factory=dict)

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
            modules[path] = Module(path, lines, tree)
    for module in modules.values():
        _bind(module, sources)
    return modules, problems


def _bind(module: Module, sources: dict[str, str]) -> None:
    for number, statement in enumerate(module.tree.body):
        if number == 0 and _is_docstring(statement):
            continue
        if isinstance(statement, ast.Import | ast.ImportFrom):
            _bind_import(module, statement, sources)
            continue
        names = set(_bound(statement))
        for name in names:
            module.bindings.setdefault(name, []).append(statement)
        if not names or _calls_out(module, statement):
            module.effects.append(statement)


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _calls_out(module: Module, statement: ast.stmt) -> bool:
    """Whether a definition is handed to a decorator of the bank's own, which may keep it."""
    if not isinstance(statement, Definition):
        return False
    for decorator in statement.decorator_list:
        root = decorator
        while isinstance(root, ast.Call | ast.Attribute):
            root = root.func if isinstance(root, ast.Call) else root.value
        if isinstance(root, ast.Name) and _is_of_bank(module, root.id):
            return True
    return False


def _is_of_bank(module: Module, name: str) -> bool:
    """Whether a name is defined in the bank, and not imported from a library."""
    statements = module.bindings.get(name, [])
    return name in module.imports or any(
        not isinstance(statement, ast.Import | ast.ImportFrom) for statement in statements
    )


def _bound(statement: ast.stmt) -> Iterator[str]:
    """The module-level names that a statement binds, or changes through an item or attribute."""
    if isinstance(statement, Definition):
        yield statement.name
        for node in ast.walk(statement):
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
        elif isinstance(node, ast.Import | ast.ImportFrom):
            for alias in node.names:
                yield (alias.asname or alias.name).split(".")[0]
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield node.name


def _bind_import(
    module: Module, statement: ast.Import | ast.ImportFrom, sources: dict[str, str]
) -> None:
    _note_marks(module, statement)
    if isinstance(statement, ast.Import) or statement.level == 0:
        for alias in statement.names:
            name = alias.asname or alias.name.split(".")[0]
            module.bindings.setdefault(name, []).append(statement)
        return
    package = module.path.split("/")[: -statement.level]
    if not package:
        module.effects.append(statement)
        return
    base = "/".join([*package, *(statement.module or "").split(".")]).rstrip("/")
    for alias in statement.names:
        name = alias.asname or alias.name
        within = _file_of(base, sources)
        below = _file_of(f"{base}/{alias.name}", sources)
        if alias.name == "*" and within:
            module.stars.append(within)
        elif below is not None:
            module.imports[name] = Imported(below, None)
        elif within is not None:
            module.imports[name] = Imported(within, alias.name)
        else:
            module.bindings.setdefault(name, []).append(statement)


def _file_of(base: str, sources: dict[str, str]) -> str | None:
    return next((p for p in (f"{base}.py", f"{base}/__init__.py") if p in sources), None)


def _note_marks(module: Module, statement: ast.Import | ast.ImportFrom) -> None:
    for alias in statement.names:
        if isinstance(statement, ast.Import):
            if alias.name == "closedbook":
                local = alias.asname or alias.name
                module.marks.update({f"{local}.{mark}": mark for mark in MARKS})
        elif statement.module == "closedbook" and alias.name in MARKS:
            module.marks[alias.asname or alias.name] = alias.name
