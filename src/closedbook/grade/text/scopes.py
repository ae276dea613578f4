"""Which function, lambda or comprehension binds a name, as Python itself decides it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_FUNCTIONS = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
_SCOPES = _FUNCTIONS | _COMPREHENSIONS | ast.ClassDef


class Scopes:
    """The scopes of one tree. Where it is in doubt it says that a name is not local."""

    def __init__(self, tree: ast.AST) -> None:
        self.parents: dict[ast.AST, ast.AST] = {}
        self.fields: dict[ast.AST, str] = {}
        """Node -> in which field of its parent it stands. Asking this costs the same everywhere."""
        for parent in ast.walk(tree):
            for field, value in ast.iter_fields(parent):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        self.parents[child], self.fields[child] = parent, field
        self._bound: dict[ast.AST, frozenset[str]] = {}

    def binder(self, node: ast.Name) -> ast.AST | None:
        """The function or comprehension whose own name this is; None where it is a global's.

        A default, a decorator and an annotation stand outside of the function that they belong
        to, and a name that a function nested deeper binds is not its own.
        """
        inner: list[ast.AST] = [node]
        while (parent := self.parents.get(inner[-1])) is not None:
            if isinstance(parent, _FUNCTIONS | _COMPREHENSIONS) and self._runs_in(parent, inner):
                if parent not in self._bound:
                    self._bound[parent] = frozenset(_own(parent))
                if node.id in self._bound[parent]:
                    return parent
            inner.append(parent)
        return None

    def _runs_in(self, scope: ast.AST, inner: list[ast.AST]) -> bool:
        """Whether the part of a scope that a node stands in is run in that scope."""
        part = inner[-1]
        if isinstance(scope, _FUNCTIONS):
            return self.fields[part] == "body"
        assert isinstance(scope, _COMPREHENSIONS)  # noqa: S101  the caller asks about scopes alone
        first = scope.generators[0]
        return part is not first or len(inner) < 2 or inner[-2] is not first.iter


def _own(scope: ast.AST) -> Iterator[str]:
    if isinstance(scope, _COMPREHENSIONS):
        for generator in scope.generators:
            yield from _names(generator.target)
        return
    assert isinstance(scope, _FUNCTIONS)  # noqa: S101  the caller asks about scopes alone
    arguments = scope.args
    listed = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    names = {a.arg for a in [*listed, arguments.vararg, arguments.kwarg] if a is not None}
    taken: set[str] = set()
    todo: list[ast.AST] = [] if isinstance(scope, ast.Lambda) else [*scope.body]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Global):
            taken |= set(node.names)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        if not isinstance(node, _SCOPES):
            todo += ast.iter_child_nodes(node)
    yield from names - taken


def _names(target: ast.AST) -> Iterator[str]:
    """The names that a target binds."""
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def identifiers(node: ast.AST) -> Iterator[str]:
    """The names that a node binds and that are no nodes of their own: text, in the tree."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield node.asname or node.name.partition(".")[0]
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
    elif isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    elif isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
