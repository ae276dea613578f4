"""Whether a statement does no more than bind the names of its scope."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from closedbook.source import harmless
from closedbook.source.expressions import Expressions, Level, Levels
from closedbook.source.fresh import fresh_names
from closedbook.source.python import Definition, Module, changed_name
from closedbook.source.resolve import Library, Own, target_of

_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Known:
    """What is known of a bank's names, of all its scopes."""

    def __init__(self, modules: Mapping[str, Module]) -> None:
        self.modules = modules
        self.levels: dict[str, Levels] = {
            path: dict.fromkeys(module.bindings, Level.DATA) for path, module in modules.items()
        }
        self.local: dict[ast.AST, Levels] = {}
        self.fresh: dict[ast.AST, tuple[frozenset[str], frozenset[str]]] = {}
        self.returned: dict[ast.AST, Level] = {}

    def call(self, own: Own) -> Level:
        """What a call of one of the bank's definitions, with data for arguments, may do."""
        raise NotImplementedError

    def is_inheritable(self, own: Own, depth: int = 0) -> bool:
        """Whether a class of the bank takes no note of the classes that inherit from it."""
        raise NotImplementedError

    def definition(self, own: Own) -> Definition | None:
        """The class or function that a name always stands for."""
        bindings = self.modules[own.path].bindings.get(own.name, [])
        first = bindings[0] if len(bindings) == 1 else None
        return first if isinstance(first, Definition) and first.name == own.name else None


class Scope:
    """Judges the statements of a module, or of a class or function within it."""

    def __init__(self, bank: Known, module: Module, node: Definition | None = None) -> None:
        self._bank = bank
        self._module = module
        self._node = node
        local = None if node is None else bank.local.setdefault(node, {})
        self.judge = Expressions(bank.modules, module, bank.levels, local, bank.call)
        root: ast.AST = module.tree if node is None else node
        if root not in bank.fresh:
            body = module.tree.body if node is None else node.body
            bank.fresh[root] = fresh_names(body, self.judge.library, rebinds=module.rebinds)
        self._new, self._defined = bank.fresh[root]
        if isinstance(node, _Function):
            self._new -= {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}

    def is_quiet(self, node: ast.stmt) -> bool:
        """Whether a statement does no more than bind names of its scope."""
        judge = self.judge
        if isinstance(node, ast.Import | ast.ImportFrom):
            return self._is_quiet_import(node)
        if isinstance(node, _Function):
            return self._is_quiet_function(node)
        if isinstance(node, ast.ClassDef):
            return self._is_quiet_class(node)
        if isinstance(node, ast.Assign | ast.AnnAssign):
            return self._is_quiet_assignment(node)
        if isinstance(node, ast.AugAssign):
            level = judge.used([node.value])
            if not isinstance(node.target, ast.Name):
                return self._changes(node.target, level)
            judge.bind(node.target.id, level)
            return node.target.id in self._new and level > Level.EFFECT
        if isinstance(node, ast.Delete):
            return all(
                isinstance(t, ast.Name) or self._changes(t, Level.DATA) for t in node.targets
            )
        if isinstance(node, ast.Expr):
            return self._is_quiet_expression(node.value)
        if isinstance(node, ast.If | ast.While):
            return self._are([*node.body, *node.orelse]) and judge.used([node.test]) > Level.EFFECT
        if isinstance(node, ast.For):
            quiet = self._bind(node.target, judge.used([node.iter], consumed=True))
            return self._are([*node.body, *node.orelse]) and quiet
        if isinstance(node, ast.With):
            return self._is_quiet_with(node)
        if isinstance(node, ast.Try | ast.TryStar):
            for handler in node.handlers:
                if handler.name:
                    judge.bind(handler.name, Level.DATA)
            within = [s for handler in node.handlers for s in handler.body]
            return self._are([*node.body, *within, *node.orelse, *node.finalbody])
        return self._is_quiet_in_function(node)

    def _are(self, nodes: Iterable[ast.stmt]) -> bool:
        quiet = [self.is_quiet(node) for node in nodes]  # each of them, for what it binds
        return all(quiet)

    def _is_quiet_in_function(self, node: ast.stmt) -> bool:
        judge = self.judge
        if isinstance(node, ast.Pass | ast.Break | ast.Continue):
            return True
        if not isinstance(self._node, ast.FunctionDef):
            # A module that raises or asserts decides over all of it.
            return type(node).__name__ == "TypeAlias"
        if isinstance(node, ast.Return):
            level = judge.level(node.value)
            self._bank.returned[self._node] = min(self._bank.returned[self._node], level)
            return level > Level.EFFECT
        if isinstance(node, ast.Assert):
            return judge.used([node.test, node.msg]) > Level.EFFECT
        return isinstance(node, ast.Raise) and judge.lowest([node.exc, node.cause]) > Level.EFFECT

    def _is_quiet_import(self, node: ast.Import | ast.ImportFrom) -> bool:
        if self._node is not None or any(alias.name == "*" for alias in node.names):
            return self._node is None and isinstance(node, ast.ImportFrom) and bool(node.level)
        if isinstance(node, ast.ImportFrom) and node.level:
            # A sibling's own effects count for whoever imports it, wherever the import stands.
            for alias in node.names:
                name = alias.asname or alias.name
                if name in self._module.bindings:
                    self.judge.bind(name, Level.UNKNOWN)
            return node.level < len(self._module.path.split("/"))
        return True

    def _is_quiet_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        every += [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        quiet = self._are_quiet_decorators(node)
        quiet &= self.judge.lowest([*arguments.defaults, *arguments.kw_defaults]) > Level.EFFECT
        quiet &= all(map(self._is_quiet_annotation, [*(a.annotation for a in every), node.returns]))
        self.judge.bind(node.name, Level.CODE if quiet else Level.UNKNOWN)
        for inner in ast.walk(node) if self._module.rebinds else ():
            for name in inner.names if isinstance(inner, ast.Global) else ():
                self.judge.bind(name, Level.UNKNOWN)
        return quiet

    def _is_quiet_annotation(self, node: ast.expr | None) -> bool:
        calls = (ast.Call, ast.NamedExpr, ast.Await, ast.Yield)
        return node is None or not any(isinstance(inner, calls) for inner in ast.walk(node))

    def _are_quiet_decorators(self, node: Definition) -> bool:
        for decorator in node.decorator_list:
            if self._module.mark_of(decorator) is not None:
                continue
            called = callee(decorator)
            if self.judge.library(called) not in harmless.DECORATORS and not _is_accessor(
                called, self._node
            ):
                return False
            given = decorator if isinstance(decorator, ast.Call) else None
            if given and self.judge.lowest([*given.args, *(k.value for k in given.keywords)]) == 0:
                return False
        return True

    def _is_quiet_class(self, node: ast.ClassDef) -> bool:
        quiet = self._are_quiet_decorators(node) & self.are_quiet_bases(node)
        inner = Scope(self._bank, self._module, node)
        quiet &= inner._are(node.body)
        lowest = min(self._bank.local[node].values(), default=Level.CODE)
        subscripted = "__class_getitem__" in self._bank.local[node]
        level = Level.CODE if quiet and not subscripted else Level.UNKNOWN
        self.judge.bind(node.name, min(level, max(lowest, Level.UNKNOWN)))
        return quiet

    def are_quiet_bases(self, node: ast.ClassDef, depth: int = 0) -> bool:
        """Whether no base of a class, and no metaclass, learns of it when it is made."""
        for keyword in node.keywords:
            metaclass = self.judge.library(keyword.value).startswith(("abc.", "enum."))
            if keyword.arg in ("metaclass", None) and not metaclass:
                return False
            if not metaclass and self.judge.level(keyword.value) == Level.EFFECT:
                return False
        for base in node.bases:
            root = base.value if isinstance(base, ast.Subscript) else base
            target = target_of(self._bank.modules, self._module, root)
            if isinstance(target, Library) and harmless.is_quiet_base(target.dotted):
                continue
            if isinstance(target, Own) and self._bank.is_inheritable(target, depth):
                continue
            if not isinstance(root, ast.Call) or self.judge.level(root) <= Level.UNKNOWN:
                return False
        return True

    def _is_quiet_assignment(self, node: ast.Assign | ast.AnnAssign) -> bool:
        if isinstance(node, ast.AnnAssign) and not self._is_quiet_annotation(node.annotation):
            return False
        level = self.judge.level(node.value)
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        quiet = [self._bind(target, level) for target in targets]
        return all(quiet) and level > Level.EFFECT

    def _bind(self, target: ast.expr, level: Level) -> bool:
        """Bind a target to a value of some level; whether that touches nothing else."""
        if isinstance(target, ast.Name):
            self.judge.bind(target.id, level)
            return level > Level.EFFECT
        if isinstance(target, ast.Tuple | ast.List):
            # Taken apart, what is not known may run code of its own.
            quiet = [self._bind(inner, level) for inner in target.elts]
            return all(quiet) and level > Level.UNKNOWN
        if isinstance(target, ast.Starred):
            return self._bind(target.value, level)
        return self._changes(target, level)

    def _changes(self, target: ast.expr, level: Level) -> bool:
        """Whether an item or attribute that is set changes an object of this scope alone."""
        if not isinstance(target, ast.Subscript | ast.Attribute):
            return False
        root = target.value
        if not isinstance(root, ast.Name) or level == Level.EFFECT:
            return False
        if isinstance(target, ast.Subscript) and self.judge.used([target.slice]) == Level.EFFECT:
            return False
        defined = root.id in self._defined and isinstance(target, ast.Attribute)
        if not defined and root.id not in self._new:
            return False
        known = self.judge.level(root) > Level.UNKNOWN or root.id in self._new
        self.judge.bind(root.id, level)
        return known

    def _is_quiet_expression(self, node: ast.expr) -> bool:
        if isinstance(node, ast.Constant):
            return True
        if isinstance(node, ast.Call) and (name := changed_name(node)) in self._new:
            given = [*node.args, *(keyword.value for keyword in node.keywords)]
            level = self.judge.used(given, consumed=True)
            self.judge.bind(name, level)
            return level > Level.EFFECT
        return self._node is not None and self.judge.level(node) > Level.EFFECT

    def _is_quiet_with(self, node: ast.With) -> bool:
        quiet, before = True, dict(self.judge.inner)
        for item in node.items:
            call = item.context_expr
            dotted = self.judge.library(call.func) if isinstance(call, ast.Call) else ""
            if dotted == "builtins.open":
                quiet &= self.judge.level(call, consumed=True) > Level.EFFECT
            else:
                quiet &= dotted in harmless.CONTEXTS
            for name in ast.walk(item.optional_vars) if item.optional_vars else ():
                if isinstance(name, ast.Name):
                    self.judge.bind(name.id, Level.UNKNOWN)
                    self.judge.inner[name.id] = Level.DATA
                else:
                    quiet = quiet and isinstance(name, ast.expr_context)
        quiet &= self._are(node.body)
        self.judge.inner = before
        return quiet


def callee(decorator: ast.expr) -> ast.expr:
    """What a decorator names, called or not."""
    return decorator.func if isinstance(decorator, ast.Call) else decorator


def _is_accessor(decorator: ast.expr, around: Definition | None) -> bool:
    """Whether this is ``@x.setter`` of a property in the same class."""
    if not isinstance(decorator, ast.Attribute) or not isinstance(around, ast.ClassDef):
        return False
    of = decorator.value
    return (
        decorator.attr in ("setter", "getter", "deleter")
        and isinstance(of, ast.Name)
        and any(isinstance(s, _Function) and s.name == of.id for s in around.body)
    )
