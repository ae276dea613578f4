"""What the syntax tree of an attempt tells: its Functions, their methods, and what these reach."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from closedbook.grade.text.live import live
from closedbook.grade.text.names import imports, path_of, root_of
from closedbook.grade.text.scopes import Scopes, identifiers

_FUNCTION = {"torch.autograd.Function", "torch.autograd.function.Function"}


@dataclass(slots=True)
class Outline:
    """The tree of one attempt, and the questions that the grader asks of it."""

    tree: ast.Module
    paths: dict[str, str] = field(default_factory=dict)
    classes: dict[str, ast.ClassDef] = field(default_factory=dict)
    values: dict[str, list[ast.AST]] = field(default_factory=dict)
    nodes: frozenset[ast.AST] = frozenset()
    scopes: Scopes = field(init=False)
    _declared: dict[ast.AST, set[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.scopes = Scopes(self.tree)
        self.nodes = frozenset(live(self.tree))
        self.paths = {name: path for name, path, _ in imports(self.tree)}
        for statement in ast.walk(self.tree):
            if isinstance(statement, ast.ClassDef):
                self.classes.setdefault(statement.name, statement)
            for name in binds(statement):
                self.values.setdefault(name, []).append(statement)
        for statement in self.tree.body:
            if isinstance(statement, ast.ClassDef):
                self.classes[statement.name] = statement
            if isinstance(statement, ast.Assign) and (path := self.path(statement.value)):
                self.paths |= {t.id: path for t in statement.targets if isinstance(t, ast.Name)}

    def path(self, node: ast.AST) -> str | None:
        """The dotted path that an expression spells, where its root is an import's name."""
        path, root = path_of(node, self.paths), root_of(node)
        if path is None or not isinstance(root, ast.Name):
            return None
        return path if self.scopes.binder(root) is None else None

    def is_function(self, name: str) -> bool:
        """Whether a class comes from ``torch.autograd.Function``, directly or not."""
        return any(self.path(base) in _FUNCTION for cls in self._line(name) for base in cls.bases)

    def functions(self) -> list[str]:
        """The names of the Function subclasses of the file."""
        return [name for name in self.classes if self.is_function(name)]

    def _line(self, name: str) -> Iterator[ast.ClassDef]:
        """A class and the classes of the file that it comes from, each once."""
        seen, todo = set[str](), [name]
        while todo:
            name = todo.pop()
            cls = self.classes.get(name)
            if cls is not None and name not in seen:
                seen.add(name)
                yield cls
                todo += [base.id for base in reversed(cls.bases) if isinstance(base, ast.Name)]

    def method(self, name: str, method: str) -> ast.FunctionDef | None:
        """A method as the class defines or inherits it: what its name is bound to last."""
        found = self.binding(name, method)
        return found if isinstance(found, ast.FunctionDef) else None

    def binding(self, name: str, method: str) -> ast.stmt | None:
        """The statement that gives a class its method last: a definition, or another."""
        for cls in self._line(name):
            found = [statement for statement in cls.body if method in _bound_by(statement)]
            if found:
                return found[-1]
        return None

    def alias_of(self, name: str) -> str | None:
        """The class that ``name = Other`` at the top of the file stands for."""
        for statement in self.values.get(name, []):
            if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Name):
                return statement.value.id if statement.value.id in self.classes else None
        return None

    def reach(self, name: str, methods: Iterable[str] | None = None) -> list[ast.AST]:
        """Every node that running these methods (None: any) can come to, within the file."""
        todo: list[ast.AST] = []
        for cls in self._line(name):
            for statement in cls.body:
                own = statement.name if isinstance(statement, ast.FunctionDef) else ""
                if methods is None or own not in _OTHERS - set(methods):
                    todo.append(statement)
        found: dict[ast.AST, None] = {}
        named: set[str] = {name}
        while todo:
            waiting = [todo.pop()]
            while waiting:
                node = waiting.pop()
                if node not in found:
                    found[node] = None
                    waiting += ast.iter_child_nodes(node)
                    if isinstance(node, ast.Name):
                        todo += self._sources(node, named)
        return list(found)

    def _sources(self, node: ast.Name, named: set[str]) -> list[ast.AST]:
        """Where the value of a name comes from: its function, or all that binds a global."""
        binder = self.scopes.binder(node)
        if binder is not None:
            return [binder]
        if node.id in named:
            return []
        named.add(node.id)
        return [value for value in self.values.get(node.id, []) if self._is_global(value, node.id)]

    def _is_global(self, statement: ast.AST, name: str) -> bool:
        """Whether a statement binds a name outside of functions, or one declared global."""
        above = self.scopes.parents.get(statement)
        while above is not None and not isinstance(above, ast.FunctionDef | ast.Lambda):
            above = self.scopes.parents.get(above)
        return above is None or name in self._globals_of(above)

    def _globals_of(self, function: ast.AST) -> set[str]:
        """The names that a function declares global, or one in it does; looked for once."""
        if function not in self._declared:
            self._declared[function] = {
                name
                for node in ast.walk(function)
                if isinstance(node, ast.Global)
                for name in node.names
            }
        return self._declared[function]


def _bound_by(statement: ast.stmt) -> set[str]:
    """The names that one statement of a class's body binds or deletes, in its blocks too."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    names: set[str] = set()
    for node in ast.walk(statement):
        names |= {*binds(node)} | (set() if isinstance(node, ast.arg) else {*identifiers(node)})
        if isinstance(node, ast.Delete):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


_OTHERS = {"forward", "setup_context", "backward", "jvp", "vjp", "vmap"}


def binds(statement: ast.AST) -> list[str]:
    """The names that a statement gives a value to."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AnnAssign | ast.AugAssign | ast.NamedExpr | ast.For):
        targets = [statement.target]
    elif isinstance(statement, ast.withitem) and statement.optional_vars:
        targets = [statement.optional_vars]
    return [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]
