"""Reads whether an attempt is plain PyTorch, so that it cannot reach what observes it.

Some points rest on what the sandboxed process says of itself (which tensors were saved, what is
still alive). The attempt's code runs in that same process. So the grader reads the attempt first,
here, outside: only names, modules and attributes that are listed in
:mod:`closedbook.grade.names` may be used. An attempt that steps outside is still run and shown
what was observed, but no point is given on its word.
"""

from __future__ import annotations

import ast
import builtins
import string
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from closedbook.grade.bindings import ambiguous, own_attributes, stores, twice
from closedbook.grade.live import live
from closedbook.grade.names import (
    BUILTINS,
    MODULES,
    Unknown,
    attribute_names,
    imports,
    kept_attributes,
    resolve,
)
from closedbook.grade.scopes import Scopes, identifiers

_DUNDER_METHODS = {"__init__", "__call__", "__repr__", "__str__"}
_DUNDER_METHODS |= {"__enter__", "__exit__", "__post_init__"}
_DUNDER_NAMES = {"__name__", "__doc__", "__all__", "__version__", "__author__"}
_ODD = (ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith, ast.Await, ast.MatchClass)
_CAREFUL = {"hasattr", "type"}
_HARMLESS = {"ascii", "bin", "bytearray", "dir", "input", "memoryview", "oct"}
"""Built-in functions that are not listed, and whose names a file may use for values of its own."""
_CAPTURES = (ast.ExceptHandler, ast.MatchAs, ast.MatchStar, ast.MatchMapping)
_BASES = {"abc.ABC", "typing.Generic", "typing.NamedTuple", "typing.Protocol", "typing.TypedDict"}
_DECORATORS = {"dataclasses.dataclass", "typing.final", "typing.runtime_checkable"}
_LEAVES = {"grad", "requires_grad"}
_METHODS = {"forward", "setup_context", "backward", "apply"}
_CTX_METHODS = {"forward", "setup_context", "backward", "jvp", "vjp"}
_Def = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


@dataclass(frozen=True, slots=True, order=True)
class Breach:
    """One use of something outside the plain language. ``what`` names the token."""

    line: int
    what: str


def breaches(tree: ast.Module) -> list[Breach]:
    """Every step outside the plain language, in the order of lines."""
    reader = _Reader(tree)
    return sorted(set(reader.found()))


class _Reader:
    def __init__(self, tree: ast.Module) -> None:
        self.nodes = live(tree)
        self.scopes = Scopes(tree)
        self.parents = self.scopes.parents
        self.paths = {name: path for name, path, _ in imports(tree)}
        self.imported = frozenset(self.paths)
        self.twice = twice(tree)
        self.stored = Counter(stores(tree))
        self.ambiguous = ambiguous(tree)
        self._bound_in: dict[ast.AST, Counter[str]] = {}
        self.paths |= dict(self._aliases(tree))
        self.loaded = Counter(n.id for n in self.nodes if isinstance(n, ast.Name))
        self.known = attribute_names() | own_attributes(self.nodes)

    def _aliases(self, tree: ast.Module) -> Iterator[tuple[str, str]]:
        """``Tensor = torch.Tensor`` at the top of the file is one more name for the class."""
        for statement in tree.body:
            if not isinstance(statement, ast.Assign | ast.AnnAssign):
                continue
            value = statement.value
            path = self._path(value) if isinstance(value, ast.Attribute) else None
            path = self.paths.get(value.id) if isinstance(value, ast.Name) else path
            if isinstance(statement, ast.AnnAssign):
                targets: list[ast.expr] = [statement.target]
            else:
                targets = statement.targets
            for target in targets:
                if path is not None and isinstance(target, ast.Name):
                    yield target.id, path

    def found(self) -> Iterator[Breach]:
        for node in self.nodes:
            line = getattr(node, "lineno", 0)
            if isinstance(node, _ODD):
                yield Breach(line, f"`{type(node).__name__}`")
            elif isinstance(node, ast.Import | ast.ImportFrom):
                yield from self._import(node)
            elif isinstance(node, ast.Attribute):
                yield from self._attribute(node)
            elif isinstance(node, ast.Name):
                yield from self._name(node)
            elif isinstance(node, ast.FunctionDef | ast.Lambda):
                yield from self._definition(node)
            elif isinstance(node, ast.ClassDef):
                yield from self._class(node)
            elif isinstance(node, ast.Global) and self.paths.keys() & set(node.names):
                yield Breach(line, f"`{ast.unparse(node)}`")
            elif isinstance(node, _CAPTURES):
                for name in self.paths.keys() & set(identifiers(node)):
                    yield Breach(line, f"`{name}` for two things")
            yield from self._dunders(node, line)

    def _dunders(self, node: ast.AST, line: int) -> Iterator[Breach]:
        """Python reads names like ``__builtins__`` and ``__name__`` wherever they are bound."""
        if not isinstance(node, ast.FunctionDef) or isinstance(self.parents.get(node), ast.Module):
            for name in identifiers(node):
                if name.startswith("__"):
                    yield Breach(line, f"`{name}`")

    def _import(self, node: ast.Import | ast.ImportFrom) -> Iterator[Breach]:
        """An import of something unlisted counts once its name is used where it can run."""
        for name, path, statement in imports(node):
            if name in self.twice and name in self.loaded:
                yield Breach(statement.lineno, f"`{name}` for two things")
            if path.endswith(".*"):
                yield Breach(statement.lineno, f"`from {path[:-2]} import *`")
            elif (name in self.loaded and not _listed(path)) or not _harmless(path):
                yield Breach(statement.lineno, f"`{path}`")

    def _name(self, node: ast.Name) -> Iterator[Breach]:
        name = node.id
        if not isinstance(node.ctx, ast.Load):
            above = self.parents.get(node)
            alias = isinstance(above, ast.Assign | ast.AnnAssign) and self.stored[name] == 1
            alone = alias and name not in self.imported
            if name in self.paths and self._enclosing(node) is None and not alone:
                yield Breach(node.lineno, f"`{name}` for two things")
            elif name.startswith("__") and name not in _DUNDER_NAMES - {"__name__"}:
                yield Breach(node.lineno, f"`{name}`")
            return
        if name.startswith("__") and name not in _DUNDER_NAMES:
            yield Breach(node.lineno, f"`{name}`")
        elif name in self.paths:
            yield from self._bare(node, self.paths[name])
        elif name in vars(builtins) and self.scopes.binder(node) is None:
            if name in _CAREFUL:
                yield from self._careful(node)
            elif name not in BUILTINS and not (name in _HARMLESS and self.stored[name]):
                yield Breach(node.lineno, f"`{name}`")

    def _binds(self, function: ast.AST) -> Counter[str]:
        """How often a function binds each name; counted once."""
        if function not in self._bound_in:
            self._bound_in[function] = Counter(stores(function))
        return self._bound_in[function]

    def _careful(self, node: ast.Name) -> Iterator[Breach]:
        """``hasattr`` asks by a written name; ``type`` is for comparing and printing."""
        call = self.parents.get(node)
        if not (isinstance(call, ast.Call) and call.func is node):
            yield Breach(node.lineno, f"`{node.id}` as a value")
        elif node.id == "type":
            over = self.parents.get(call)
            named = isinstance(over, ast.Attribute) and over.attr == "__name__"
            if not named and not isinstance(over, ast.Compare | ast.FormattedValue):
                yield Breach(node.lineno, "`type(...)` as a value")
        elif not (len(call.args) == 2 and isinstance(call.args[1], ast.Constant)):
            yield Breach(node.lineno, f"`{ast.unparse(call)}`"[:80])

    def _bare(self, node: ast.expr, path: str) -> Iterator[Breach]:
        """A module, or a class of torch, may be named to reach into it, not handed around."""
        parent = self.parents.get(node)
        if isinstance(parent, ast.Attribute):
            return
        try:
            value, _ = resolve(path)
        except Unknown:
            return
        if hasattr(value, "__path__") or type(value).__name__ == "module":
            yield Breach(node.lineno, f"the module `{path}` as a value")
        elif isinstance(value, type) and not self._class_in_place(node):
            yield Breach(node.lineno, f"the class `{path}` as a value")

    def _class_in_place(self, node: ast.expr) -> bool:
        child: ast.AST = node
        for parent in self._above(node):
            field = self.scopes.fields[child]
            if isinstance(parent, ast.Call) and (_tests_class(parent, child) or field == "func"):
                return True
            if isinstance(parent, ast.ClassDef):
                return field in {"bases", "decorator_list"}
            if isinstance(parent, ast.arg) or (
                isinstance(parent, ast.AnnAssign) and field != "value"
            ):
                return field == "annotation"
            if isinstance(parent, ast.FunctionDef):
                return field in {"returns", "decorator_list"}
            if isinstance(parent, ast.ExceptHandler):
                return field == "type"
            if isinstance(parent, ast.Assign | ast.AnnAssign):
                hint = parent.value is not None and self._is_hint(parent.value)
                return (child is node or hint) and self._enclosing(parent) is None
            if not isinstance(parent, ast.Subscript | ast.BinOp | ast.Tuple | ast.List | ast.Raise):
                return False
            child = parent
        return False

    def _is_hint(self, node: ast.expr) -> bool:
        """Whether an expression is a type and nothing else: ``Optional[Tensor]``, ``A | None``."""
        if isinstance(node, ast.Subscript):
            value = node.value
            path = self._path(value) if isinstance(value, ast.Attribute) else None
            path = self.paths.get(value.id) if isinstance(value, ast.Name) else path
            return (path or "").startswith("typing.") and self._is_hint(node.slice)
        if isinstance(node, ast.BinOp):
            union = isinstance(node.op, ast.BitOr)
            return union and self._is_hint(node.left) and self._is_hint(node.right)
        if isinstance(node, ast.Tuple):
            return all(map(self._is_hint, node.elts))
        return isinstance(node, ast.Name | ast.Attribute | ast.Constant)

    def _attribute(self, node: ast.Attribute) -> Iterator[Breach]:
        if not isinstance(node.ctx, ast.Load):
            if not self._may_store(node):
                yield Breach(node.lineno, f"a write to `{ast.unparse(node)}`"[:80])
            return
        path = self._path(node)
        if path is not None:
            try:
                _, reached = resolve(path)
            except Unknown:
                yield Breach(node.lineno, f"`{ast.unparse(node)}`"[:80])
                return
            if reached == path:
                yield from self._bare(node, path)
                return
        if node.attr == "__init__" and isinstance(node.value, ast.Call):
            return
        if node.attr not in self.known and node.attr != "__name__":
            yield Breach(node.lineno, f"`.{node.attr}`")
        elif node.attr in {"format", "format_map"} and not _plain_format(node):
            yield Breach(node.lineno, f"`.{node.attr}` of a text that reaches into its values")

    def _path(self, node: ast.Attribute) -> str | None:
        """``torch.nn.functional.linear`` for ``F.linear``; None where the root is no import."""
        parts, value = [node.attr], node.value
        while isinstance(value, ast.Attribute):
            parts.append(value.attr)
            value = value.value
        if isinstance(value, ast.Name) and value.id in self.paths:
            return ".".join([self.paths[value.id], *reversed(parts)])
        return None

    def _may_store(self, node: ast.Attribute) -> bool:
        """On ``ctx``, in methods and in helpers, on ``self``; on leaves, at the top of the file."""
        function = self._enclosing(node)
        owner = self.parents.get(function) if function is not None else None
        if function is None and isinstance(node.value, ast.Name) and node.attr in _LEAVES:
            return node.value.id not in self.paths
        if not (isinstance(node.value, ast.Name) and isinstance(function, ast.FunctionDef)):
            return False
        helper = not isinstance(owner, ast.ClassDef)
        if node.attr.startswith("__") or (helper and node.value.id != "ctx"):
            return False
        if node.attr in _METHODS or node.attr in kept_attributes():
            return False
        first = [*function.args.posonlyargs, *function.args.args][:1]
        name = node.value.id
        bound = self._binds(function)[name]
        separate = function.name == "forward" and any(
            isinstance(other, ast.FunctionDef) and other.name == "setup_context"
            for other in getattr(owner, "body", ())
        )
        marks = [d for d in function.decorator_list if isinstance(d, ast.Name)]
        static = any(mark.id == "staticmethod" for mark in marks)
        takes = helper or function.name in _CTX_METHODS or not static
        return bool(first) and first[0].arg == name and bound == 1 and takes and not separate

    def _definition(self, node: ast.FunctionDef | ast.Lambda) -> Iterator[Breach]:
        if isinstance(node, ast.FunctionDef):
            name = node.name
            if name.startswith("__") and name not in _DUNDER_METHODS:
                yield Breach(node.lineno, f"`def {name}`")
            if name in self.paths and isinstance(self.parents.get(node), ast.Module):
                yield Breach(node.lineno, f"`{name}` for two things")

    def _class(self, node: ast.ClassDef) -> Iterator[Breach]:
        for keyword in node.keywords:
            yield Breach(node.lineno, f"`class {node.name}({keyword.arg}=...)`")
        if node in self.ambiguous:
            yield Breach(node.lineno, f"`{node.name}` for two things")
        for base in node.bases:
            text = ast.unparse(base)
            path = self._path(base) if isinstance(base, ast.Attribute) else self.paths.get(text)
            if path is not None and _is_tensor(path):
                yield Breach(node.lineno, f"a subclass of `{path}`")
            elif not (self._own_or_plain(base) if path is None else _may_be_base(path)):
                yield Breach(node.lineno, f"a subclass of `{text}`"[:80])
        for mark in node.decorator_list:
            called = mark.func if isinstance(mark, ast.Call) else mark
            path = self._path(called) if isinstance(called, ast.Attribute) else None
            path = self.paths.get(called.id) if isinstance(called, ast.Name) else path
            if path not in _DECORATORS:
                yield Breach(node.lineno, f"a decorator of the class `{node.name}`"[:80])
        for statement in node.body:
            for target in getattr(statement, "targets", []):
                if isinstance(target, ast.Name) and target.id == "apply":
                    yield Breach(statement.lineno, f"an `apply` of its own in `{node.name}`")
            if isinstance(statement, ast.FunctionDef) and statement.name == "apply":
                yield Breach(statement.lineno, f"an `apply` of its own in `{node.name}`")

    def _own_or_plain(self, base: ast.expr) -> bool:
        """A class of the file, ``object``, or an exception: nothing that torch reads in C."""
        if not isinstance(base, ast.Name):
            return False
        known = getattr(builtins, base.id, None)
        plain = isinstance(known, type) and issubclass(known, BaseException)
        return plain or base.id == "object" or (known is None and base.id in self.stored)

    def _above(self, node: ast.AST) -> Iterator[ast.AST]:
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def _enclosing(self, node: ast.AST) -> ast.AST | None:
        """The function that a node stands in; None at the top of the file or of a class."""
        return next((p for p in self._above(node) if isinstance(p, _Def)), None)


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
    return path in _BASES or path.startswith("torch.") or not _listed(path)


def _plain_format(node: ast.Attribute) -> bool:
    """Whether ``"{:.3f}".format`` is of a written text that asks its values for no attribute."""
    text = node.value.value if isinstance(node.value, ast.Constant) else None
    return isinstance(text, str) and node.attr == "format" and _fields_are_names(text)


def _fields_are_names(text: str) -> bool:
    try:
        parts = list(string.Formatter().parse(text))
    except ValueError:
        return True  # format itself refuses it
    fields = [(field, spec or "") for _, field, spec, _ in parts if field is not None]
    return all(not {".", "["} & set(field) and _fields_are_names(spec) for field, spec in fields)


def _tests_class(call: ast.Call, child: ast.AST) -> bool:
    """Whether ``child`` is the class in ``isinstance(x, child)``."""
    named = isinstance(call.func, ast.Name) and call.func.id in {"isinstance", "issubclass"}
    return named and child is not call.args[0]


def _listed(path: str) -> bool:
    try:
        _, reached = resolve(path)
    except Unknown:
        return False
    return reached == path


def _harmless(path: str) -> bool:
    """Whether importing it and never using it does nothing that a grader minds."""
    root = path.partition(".")[0]
    usual = {
        "os",
        "sys",
        "numpy",
        "pytest",
        "unittest",
        "argparse",
        "logging",
        "pathlib",
        "inspect",
    }
    return root in usual or root in {module.partition(".")[0] for module in MODULES}
