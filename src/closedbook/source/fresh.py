"""Names of a scope whose object nobody else holds when it is made: to change it changes them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator

from closedbook.source.harmless import FRESH
from closedbook.source.python import Definition

_NEW = (ast.BinOp, ast.Compare, ast.Constant, ast.Dict, ast.DictComp, ast.JoinedStr, ast.List,
        ast.ListComp, ast.Set, ast.SetComp, ast.Tuple, ast.UnaryOp)  # fmt: skip
Library = Callable[[ast.expr], str]


def fresh_names(
    body: Iterable[ast.stmt], library: Library, *, rebinds: bool
) -> tuple[frozenset[str], frozenset[str]]:
    """The names of a scope that hold a new object, and those that are definitions of its own.

    ``library`` tells the full name of what a library defines, ``rebinds`` whether functions within
    may bind names of the scope. A name that is bound in any other
    way as well, in a loop or under a second name say, is none of them.
    """
    new: set[str] = set()
    defined: set[str] = set()
    other: set[str] = set()
    for node in scope_of(body):
        if isinstance(node, Definition):
            defined.add(node.name)
            if rebinds:
                other.update(name for inner in ast.walk(node) for name in _taken(inner))
        elif isinstance(node, ast.Assign | ast.AnnAssign) and _is_new(node, library):
            new.update(name for name in _stored([_only_target(node)]))
        elif isinstance(node, ast.AnnAssign) and node.value is None:
            continue
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            other.update(_stored(node.targets if isinstance(node, ast.Assign) else [node.target]))
        elif isinstance(node, ast.For | ast.AsyncFor):
            other.update(_stored([node.target]))
        elif isinstance(node, ast.withitem) and node.optional_vars is not None:
            other.update(_stored([node.optional_vars]))
        elif isinstance(node, ast.NamedExpr):
            other.update(_stored([node.target]))
        else:
            other.update(_taken(node))
    return frozenset(new - defined - other), frozenset(defined - new - other)


def scope_of(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Every piece of syntax of a scope, without the bodies of what it defines."""
    todo = list(body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, Definition | ast.Lambda):
            todo += ast.iter_child_nodes(node)


def _only_target(node: ast.Assign | ast.AnnAssign) -> ast.expr:
    return node.targets[0] if isinstance(node, ast.Assign) else node.target


def _is_new(node: ast.Assign | ast.AnnAssign, library: Library) -> bool:
    single = isinstance(node, ast.AnnAssign) or len(node.targets) == 1
    if not single or not isinstance(_only_target(node), ast.Name):
        return False
    value = node.value
    return isinstance(value, _NEW) or (isinstance(value, ast.Call) and library(value.func) in FRESH)


def _stored(targets: Iterable[ast.expr]) -> Iterator[str]:
    for target in targets:
        for node in ast.walk(target):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id


def _taken(node: ast.AST) -> Iterator[str]:
    """Names that other syntax than an assignment binds, or gives to a function to bind."""
    if isinstance(node, ast.Global | ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.Import | ast.ImportFrom):
        for alias in node.names:
            yield (alias.asname or alias.name).partition(".")[0]
    elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
        yield node.name
