"""Which nodes of an attempt's tree can run while it is graded."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def is_main_block(node: ast.AST) -> bool:
    """``if __name__ == "__main__":``, whose body never runs while grading."""
    return isinstance(node, ast.If) and ast.unparse(node.test) in {
        "__name__ == '__main__'",
        "'__main__' == __name__",
    }


def live(tree: ast.Module) -> list[ast.AST]:
    """The nodes that can run: no main block, no function that nothing else names."""
    later = any("annotations" in names for names in _future(tree))
    roots: list[ast.AST] = []
    waiting: dict[str, list[ast.AST]] = {}
    for statement in tree.body:
        if is_main_block(statement) and isinstance(statement, ast.If):
            roots += statement.orelse
        elif isinstance(statement, ast.FunctionDef) and _waits(statement):
            waiting.setdefault(statement.name, []).append(statement)
            roots += _at_once(statement, annotations=not later)
        else:
            roots.append(statement)
    nodes: list[ast.AST] = []
    while roots:
        for node in ast.walk(roots.pop()):
            nodes.append(node)
            if isinstance(node, ast.Name) and node.id in waiting:
                roots += waiting.pop(node.id)
    return nodes


def _waits(function: ast.FunctionDef) -> bool:
    """Whether a function runs only where it is named; Python itself calls ``__getattr__``."""
    return not function.decorator_list and not function.name.startswith("__")


def _future(tree: ast.Module) -> Iterator[set[str]]:
    for statement in tree.body:
        if isinstance(statement, ast.ImportFrom) and statement.module == "__future__":
            yield {alias.name for alias in statement.names}


def _at_once(function: ast.FunctionDef, *, annotations: bool) -> Iterator[ast.AST]:
    """What runs where a function is defined, and not when it is called."""
    yield from function.args.defaults
    yield from (default for default in function.args.kw_defaults if default)
    if annotations:
        yield from (
            n.annotation for n in ast.walk(function.args) if isinstance(n, ast.arg) if n.annotation
        )
        yield from [function.returns] if function.returns else []
