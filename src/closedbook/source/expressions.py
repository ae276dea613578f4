"""What evaluating an expression of a bank's module may do, and how much is known of its value."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from enum import IntEnum

from closedbook.source import harmless
from closedbook.source.python import Module
from closedbook.source.resolve import Library, Own, Sibling, Target, target_of


class Level(IntEnum):
    """How harmless an expression is. That of several is the lowest of theirs."""

    EFFECT = 0
    """Evaluating it may change anything."""
    UNKNOWN = 1
    """Its value may run code of the bank, or change, whatever is done with it."""
    CODE = 2
    """A function or class of the bank, or something that holds one: it runs where it is called."""
    DATA = 3
    """Numbers, text, tensors, containers of these, what a library defines."""


Levels = dict[str, Level]
Call = Callable[[Own], Level]

_OPERATIONS = (ast.BinOp, ast.BoolOp, ast.Compare, ast.FormattedValue, ast.JoinedStr, ast.Slice,
               ast.Subscript, ast.UnaryOp)  # fmt: skip
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_ONCE = frozenset({"glob", "iterdir", "rglob"})
_CALLBACKS = frozenset({"key", "default", "object_hook", "object_pairs_hook", "cls", "fn"})


class Expressions:
    """Judges the expressions of one scope: a module, or a class or function within it."""

    def __init__(
        self,
        modules: Mapping[str, Module],
        module: Module,
        levels: Mapping[str, Levels],
        local: Levels | None,
        call: Call,
    ) -> None:
        """``levels`` are those of each module's names, ``local`` those of the inner scope.

        ``call`` judges a call of one of the bank's definitions, with data for its arguments.
        """
        self._modules = modules
        self._module = module
        self._levels = levels
        self._local = local
        self._call = call
        self.inner: Levels = {}
        """Names for the length of a comprehension, or of a ``with``."""

    def bind(self, name: str, level: Level) -> None:
        """Note what a name of this scope may be."""
        scope = self._levels[self._module.path] if self._local is None else self._local
        scope[name] = min(scope.get(name, Level.DATA), level)

    def target(self, node: ast.expr) -> Target:
        """What a name or path stands for; None where its root is local."""
        root = node
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and (root.id in self.inner or root.id in (self._local or ())):
            return None
        return target_of(self._modules, self._module, node)

    def library(self, node: ast.expr) -> str:
        """The full name of something that a library defines; empty for all else."""
        target = self.target(node)
        return target.dotted if isinstance(target, Library) else ""

    def level(self, node: ast.expr | None, *, consumed: bool = False) -> Level:
        """The level of an expression. ``consumed``: its value is read here and kept nowhere."""
        if node is None or isinstance(node, ast.Constant):
            return Level.DATA
        if isinstance(node, ast.Name):
            return self._name(node)
        if isinstance(node, ast.Attribute):
            return self._attribute(node)
        if isinstance(node, ast.Call):
            return self._called(node, consumed)
        if isinstance(node, ast.Tuple | ast.List):
            return self.lowest(node.elts)
        if isinstance(node, ast.Set):
            return self.used(node.elts)
        if isinstance(node, ast.Dict):
            spread = [v for k, v in zip(node.keys, node.values, strict=True) if k is None]
            return min(self.used([*node.keys, *spread]), self.lowest(node.values))
        if isinstance(node, ast.Starred):
            return self.used([node.value], consumed=True)
        if isinstance(node, _OPERATIONS):
            return self.used(c for c in ast.iter_child_nodes(node) if isinstance(c, ast.expr))
        if isinstance(node, ast.IfExp):
            return min(self.used([node.test]), self.lowest([node.body, node.orelse]))
        if isinstance(node, _COMPREHENSIONS):
            return self._comprehension(node, consumed)
        if isinstance(node, ast.NamedExpr):
            level = self.level(node.value)
            self.bind(node.target.id, level)
            # In a default or a decorator, say, where no statement of the module is seen to bind it.
            seen = self._local is not None or node.target.id in self._module.bindings
            return level if seen else Level.EFFECT
        if isinstance(node, ast.Lambda):
            return min(Level.CODE, self.lowest([*node.args.defaults, *node.args.kw_defaults]))
        return Level.EFFECT

    def lowest(self, nodes: Iterable[ast.expr | None], *, consumed: bool = False) -> Level:
        """The level of several expressions whose values are kept."""
        return min((self.level(n, consumed=consumed) for n in nodes), default=Level.DATA)

    def used(self, nodes: Iterable[ast.expr | None], *, consumed: bool = False) -> Level:
        """The level of expressions on whose values Python operates: not harmless where unknown."""
        level = self.lowest(nodes, consumed=consumed)
        return level if level > Level.UNKNOWN else Level.EFFECT

    def _name(self, node: ast.Name) -> Level:
        for scope in (self.inner, self._local or {}):
            if node.id in scope:
                return scope[node.id]
        return self._of_target(self.target(node))

    def _of_target(self, target: Target) -> Level:
        if isinstance(target, Library):
            return Level.DATA
        if isinstance(target, Sibling):
            return Level.CODE
        if target is None:
            return Level.UNKNOWN
        return self._levels[target.path].get(target.name, Level.UNKNOWN)

    def _attribute(self, node: ast.Attribute) -> Level:
        target = self.target(node)
        if target is not None:
            return self._of_target(target)
        if isinstance(self.target(node.value), Sibling):
            return Level.UNKNOWN  # of a star import, or of the module's own `__getattr__`
        level = self.used([node.value], consumed=True)
        if node.attr in harmless.CHANGING or node.attr.endswith("_"):
            return min(level, Level.UNKNOWN)
        return level

    def _comprehension(
        self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp, consumed: bool
    ) -> Level:
        before, level = dict(self.inner), Level.DATA
        for generator in node.generators:
            found = self.used([generator.iter], consumed=True)
            for target in ast.walk(generator.target):
                if isinstance(target, ast.Name):
                    self.inner[target.id] = found
                elif isinstance(target, ast.Subscript | ast.Attribute):
                    level = Level.EFFECT
            level = min(level, found, self.used(generator.ifs))
        if isinstance(node, ast.DictComp):
            level = min(level, self.used([node.key]), self.level(node.value))
        elif isinstance(node, ast.SetComp):
            level = min(level, self.used([node.elt]))
        else:
            level = min(level, self.level(node.elt))
        self.inner = before
        kept = isinstance(node, ast.GeneratorExp) and not consumed
        return min(level, Level.UNKNOWN) if kept else level

    def _called(self, node: ast.Call, consumed: bool) -> Level:
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        level = self.lowest(given, consumed=True)
        if level == Level.EFFECT:
            return level
        target = self.target(node.func)
        if isinstance(target, Library):
            return self._of_library(node, target.dotted, level, consumed)
        if isinstance(target, Own):
            return self._call(target) if level == Level.DATA else Level.EFFECT
        if target is None and isinstance(node.func, ast.Attribute):
            kept = node.func.attr in harmless.METHODS and level == Level.DATA
            if kept and self.level(node.func.value, consumed=True) == Level.DATA:
                once = node.func.attr in _ONCE and not consumed
                return Level.UNKNOWN if once else Level.DATA
        return Level.EFFECT

    def _of_library(self, node: ast.Call, dotted: str, level: Level, consumed: bool) -> Level:
        if dotted in harmless.CONTAINERS and level > Level.UNKNOWN:
            return level
        if dotted in harmless.ITERATORS and level > Level.UNKNOWN:
            return level if consumed else Level.UNKNOWN
        if level < Level.DATA:
            return Level.EFFECT
        if dotted == "builtins.open":
            if not _reads(node):
                return Level.EFFECT
            return Level.DATA if consumed else Level.UNKNOWN
        callbacks = [k.value for k in node.keywords if k.arg in _CALLBACKS]
        known = all(
            harmless.is_pure(name) or name in harmless.CONTAINERS
            for name in map(self.library, callbacks)
        )
        return Level.DATA if known and harmless.is_pure(dotted) else Level.EFFECT


def _reads(node: ast.Call) -> bool:
    """Whether a call of ``open`` is for reading."""
    modes = [*node.args[1:2], *(k.value for k in node.keywords if k.arg in ("mode", None))]
    return all(isinstance(mode, ast.Constant) and mode.value in ("r", "rb") for mode in modes)
