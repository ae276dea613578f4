"""What the syntax tree of an attempt tells: its Functions, their methods, lines, and shortcuts."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from closedbook.grade.live import live
from closedbook.grade.names import AUTOGRAD, Unknown, imports, resolve
from closedbook.grade.scopes import Scopes, identifiers

_FUNCTION = {"torch.autograd.Function", "torch.autograd.function.Function"}


@dataclass(frozen=True, slots=True)
class Shortcut:
    """A call that does the work which the task asks to write: its line and its name."""

    line: int
    what: str


@dataclass(slots=True)
class Reading:
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
            for name in _binds(statement):
                self.values.setdefault(name, []).append(statement)
        for statement in self.tree.body:
            if isinstance(statement, ast.ClassDef):
                self.classes[statement.name] = statement
            if isinstance(statement, ast.Assign) and (path := self.path(statement.value)):
                self.paths |= {t.id: path for t in statement.targets if isinstance(t, ast.Name)}

    def path(self, node: ast.AST) -> str | None:
        """The dotted path that an expression spells, where it starts at an import."""
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        known = isinstance(node, ast.Name) and node.id in self.paths
        if known and isinstance(node, ast.Name) and self.scopes.binder(node) is None:
            return ".".join([self.paths[node.id], *reversed(parts)])
        return None

    def is_function(self, name: str) -> bool:
        """Whether a class comes from ``torch.autograd.Function``, directly or not."""
        return any(self.path(base) in _FUNCTION for cls in self._line(name) for base in cls.bases)

    def functions(self) -> list[str]:
        """The names of the Function subclasses of the file."""
        return [name for name in self.classes if self.is_function(name)]

    def _line(self, name: str, seen: set[str] | None = None) -> Iterator[ast.ClassDef]:
        """A class and the classes of the file that it comes from, each once."""
        seen = set() if seen is None else seen
        cls = self.classes.get(name)
        if cls is None or name in seen:
            return
        seen.add(name)
        yield cls
        for base in cls.bases:
            if isinstance(base, ast.Name):
                yield from self._line(base.id, seen)

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

    def builtins(self, name: str, forbidden: Iterable[str]) -> list[Shortcut]:
        """Ready-made operations that forward calls.

        A forbidden ``torch.nn`` stands for all below it, a forbidden ``log_softmax`` for every
        function and method of that name.
        """
        roots = tuple(root for root in forbidden if "." in root or root == "torch")
        names = set(forbidden) - set(roots)
        nodes = self.reach(name, ("forward", "setup_context"))
        named = [
            Shortcut(node.lineno, f".{node.attr}" if self.path(node) is None else node.attr)
            for node in nodes
            if isinstance(node, ast.Attribute) and node.attr in names
        ]
        named += [
            Shortcut(node.lineno, path)
            for node in nodes
            if isinstance(node, ast.Name) and (path := self.paths.get(node.id))
            if path.rpartition(".")[2] in names
        ]
        return self._paths_below(nodes, roots) + named

    def autograd(self, name: str) -> list[Shortcut]:
        """Places where the Function asks autograd for a gradient."""
        nodes = self.reach(name)
        found = self._paths_below(nodes, AUTOGRAD)
        for node in nodes:
            if isinstance(node, ast.Attribute) and node.attr in {"requires_grad_", "backward"}:
                own = (
                    isinstance(node.value, ast.Name)
                    and node.value.id in self.classes
                    and self.scopes.binder(node.value) is None
                )
                own |= isinstance(node.value, ast.Call) and ast.unparse(node.value) == "super()"
                if not own:
                    found.append(Shortcut(node.lineno, f".{node.attr}"))
        return sorted(found, key=lambda shortcut: shortcut.line)

    def _paths_below(self, nodes: list[ast.AST], roots: tuple[str, ...]) -> list[Shortcut]:
        found = []
        for node in nodes:
            path = self.path(node) if isinstance(node, ast.Attribute | ast.Name) else None
            if path is None:
                continue
            for root in roots:
                below = path == root or path.startswith(root + ".")
                if below and not _is_module(path):
                    found.append(Shortcut(getattr(node, "lineno", 0), path))
                    break
        return found

    def return_line(self, name: str, method: str, index: int | None = None) -> int:
        """The line that makes what a method returns: of its value ``index`` where that is known."""
        function = self.method(name, method)
        if function is None:
            return 0
        returns = [n for n in ast.walk(function) if isinstance(n, ast.Return) and n.value]
        if not returns:
            return function.lineno
        value = returns[-1].value
        if index is not None and isinstance(value, ast.Tuple) and index < len(value.elts):
            return _made_at(function, value.elts[index])
        return _made_at(function, value) if value is not None else function.lineno

    def once_differentiable(self, name: str) -> int:
        """The line of a backward that is marked so; 0 where it is not."""
        function = self.method(name, "backward")
        for decorator in function.decorator_list if function is not None else []:
            if (self.path(decorator) or "").endswith(".once_differentiable"):
                return decorator.lineno
        return 0

    def stored_at(self, attribute: str) -> int:
        """The line of ``ctx.<attribute> = ...``."""
        return next(
            (
                node.lineno
                for node in ast.walk(self.tree)
                if isinstance(node, ast.Attribute)
                and isinstance(node.ctx, ast.Store)
                and node.attr == attribute
            ),
            0,
        )

    def written_at(self, name: str) -> int:
        """The line in backward that edits one of its gradients in place, where one is seen."""
        function = self.method(name, "backward")
        if function is None:
            return 0
        arguments = {a.arg for a in function.args.args[1:]}
        for node in ast.walk(function):
            target: ast.AST | None = None
            if isinstance(node, ast.AugAssign):
                target = node.target
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr.endswith("_") and not node.func.attr.endswith("__"):
                    target = node.func.value
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                target = node.targets[0]
            while isinstance(target, ast.Subscript | ast.Attribute | ast.Call):
                target = target.func if isinstance(target, ast.Call) else target.value
            if isinstance(target, ast.Name) and target.id in arguments:
                return getattr(node, "lineno", 0)
        return function.lineno


def _bound_by(statement: ast.stmt) -> set[str]:
    """The names that one statement of a class's body binds or deletes, in its blocks too."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return {statement.name}
    names: set[str] = set()
    for node in ast.walk(statement):
        names |= {*_binds(node)} | (set() if isinstance(node, ast.arg) else {*identifiers(node)})
        if isinstance(node, ast.Delete):
            names |= {target.id for target in node.targets if isinstance(target, ast.Name)}
    return names


_OTHERS = {"forward", "setup_context", "backward", "jvp", "vjp", "vmap"}


def _binds(statement: ast.AST) -> list[str]:
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


def _is_module(path: str) -> bool:
    try:
        value, reached = resolve(path)
    except Unknown:
        return False
    return reached == path and type(value).__name__ == "module"


def _made_at(function: ast.FunctionDef, value: ast.expr) -> int:
    """Where a value was computed: the last assignment of the name, or the expression itself."""
    if not isinstance(value, ast.Name):
        return value.lineno
    lines = [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Name) and node.id == value.id and isinstance(node.ctx, ast.Store)
    ]
    made = [
        node.lineno
        for node in ast.walk(function)
        if isinstance(node, ast.Assign | ast.AugAssign)
        and value.id in _binds(node)
        and not (isinstance(node.value, ast.Constant) and node.value.value is None)
    ]
    return max(made or lines or [value.lineno])
