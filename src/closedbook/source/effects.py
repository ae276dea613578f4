"""Which statements of a bank's modules may touch more than the names that they bind.

A module runs when it is imported. What a statement does beside binding its own names, a call that
fills a registry say, counts for every name of the module and for whoever imports it. So a
statement is such an *effect* unless it provably is none: see :mod:`closedbook.source.harmless`.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from closedbook.source.expressions import Level
from closedbook.source.fresh import scope_of
from closedbook.source.python import Definition, Module
from closedbook.source.resolve import Own
from closedbook.source.statements import Known, Scope, callee

_DEPTH = 10


def effects_of(modules: Mapping[str, Module]) -> dict[str, list[ast.stmt]]:
    """The effects of each module, by its path."""
    return _Bank(modules).effects()


class _Bank(Known):
    """What is known of all modules' names. It starts at the best, and sinks until it stands."""

    def __init__(self, modules: Mapping[str, Module]) -> None:
        super().__init__(modules)
        self._calling: set[ast.AST] = set()

    def effects(self) -> dict[str, list[ast.stmt]]:
        """The effects of each module, once nothing sinks any more."""
        while True:
            before = self._state()
            found = {
                path: [s for s in module.tree.body if not self._is_quiet(module, s)]
                for path, module in self.modules.items()
            }
            if self._state() == before:
                return found

    def _is_quiet(self, module: Module, statement: ast.stmt) -> bool:
        try:
            return Scope(self, module).is_quiet(statement)
        except RecursionError:
            return False  # nested so deeply that nobody knows

    def _state(self) -> object:
        return (
            {path: dict(levels) for path, levels in self.levels.items()},
            {node: dict(levels) for node, levels in self.local.items()},
            dict(self.returned),
        )

    def call(self, own: Own) -> Level:
        """What a call with data for arguments may do: the bank's own function is read for it."""
        definition = self.definition(own)
        module = self.modules[own.path]
        if isinstance(definition, ast.ClassDef):
            return Level.UNKNOWN if self._is_record(module, definition) else Level.EFFECT
        if not isinstance(definition, ast.FunctionDef) or definition.decorator_list:
            return Level.EFFECT
        if definition not in self._calling:
            self._calling.add(definition)
            self._run(module, definition)
            self._calling.discard(definition)
        return self.returned[definition]

    def _run(self, module: Module, function: ast.FunctionDef) -> None:
        self.returned.setdefault(function, Level.DATA)
        if function not in self.local:
            local = self.local[function] = {}
            for node in scope_of(function.body):
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                    local[node.id] = Level.DATA
                elif isinstance(node, Definition):
                    local[node.name] = Level.DATA
            arguments = function.args
            named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            extra = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
            local.update({a.arg: Level.DATA for a in (*named, *extra)})
            outside = Scope(self, module)
            defaults = [*arguments.defaults, *arguments.kw_defaults]
            if outside.judge.lowest(defaults) < Level.DATA:
                self.returned[function] = Level.EFFECT
        scope = Scope(self, module, function)
        if not all(scope.is_quiet(statement) for statement in function.body):
            self.returned[function] = Level.EFFECT

    def _is_record(self, module: Module, definition: ast.ClassDef) -> bool:
        """Whether a class only keeps what it is made with."""
        scope = Scope(self, module)
        names = [scope.judge.library(callee(d)) for d in definition.decorator_list]
        names += [scope.judge.library(base) for base in definition.bases]
        own = {s.name for s in definition.body if isinstance(s, Definition)}
        for node in scope_of(definition.body):
            if isinstance(node, ast.keyword) and node.arg == "default_factory":
                own |= set() if scope.judge.library(node.value) else {"__called__"}
        known = set(names) in ({"dataclasses.dataclass"}, {"typing.NamedTuple"})
        return known and not any(name.startswith("__") for name in own)

    def is_inheritable(self, own: Own, depth: int = 0) -> bool:
        """Whether a class of the bank takes no note of the classes that inherit from it."""
        definition = self.definition(own)
        if not isinstance(definition, ast.ClassDef) or depth > _DEPTH:
            return False
        for node in scope_of(definition.body):
            named = getattr(node, "name", None) or getattr(node, "id", None)
            if named == "__init_subclass__":
                return False
        scope = Scope(self, self.modules[own.path])
        return scope.are_quiet_bases(definition, depth + 1)
