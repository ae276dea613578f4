"""Lines: where in an attempt stands what a lost point is about."""

from __future__ import annotations

import ast

from closedbook.grade.text.outline import Outline, binds


def return_line(outline: Outline, name: str, method: str, index: int | None = None) -> int:
    """The line that makes what a method returns: of its value ``index`` where that is known."""
    function = outline.method(name, method)
    if function is None:
        return 0
    returns = [n for n in ast.walk(function) if isinstance(n, ast.Return) and n.value]
    if not returns:
        return function.lineno
    value = returns[-1].value
    if index is not None and isinstance(value, ast.Tuple) and index < len(value.elts):
        return _made_at(function, value.elts[index])
    return _made_at(function, value) if value is not None else function.lineno


def once_differentiable(outline: Outline, name: str) -> int:
    """The line of a backward that is marked so; 0 where it is not."""
    function = outline.method(name, "backward")
    for decorator in function.decorator_list if function is not None else []:
        if (outline.path(decorator) or "").endswith(".once_differentiable"):
            return decorator.lineno
    return 0


def stored_at(outline: Outline, attribute: str) -> int:
    """The line of ``ctx.<attribute> = ...``."""
    return next(
        (
            node.lineno
            for node in ast.walk(outline.tree)
            if isinstance(node, ast.Attribute)
            and isinstance(node.ctx, ast.Store)
            and node.attr == attribute
        ),
        0,
    )


def written_at(outline: Outline, name: str) -> int:
    """The line in backward that edits one of its gradients in place, where one is seen."""
    function = outline.method(name, "backward")
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


def _made_at(function: ast.FunctionDef, value: ast.expr) -> int:
    """Where a value was computed: the last assignment of the name, or the expression itoutline."""
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
        and value.id in binds(node)
        and not (isinstance(node.value, ast.Constant) and node.value.value is None)
    ]
    return max(made or lines or [value.lineno])
