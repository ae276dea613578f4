"""Small changes to a right attempt: each as a description and the changed text."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator

_Change = Callable[[ast.AST], Iterator[tuple[str, ast.AST | None]]]
"""Gives replacements of a node; None takes a statement out."""


def _expressions(node: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        name = node.func.attr
        if name in {"t", "sum", "unsqueeze", "expand_as"}:
            yield f"without .{name}", node.func.value
        if name == "mm":
            turned = copy.deepcopy(node)
            assert isinstance(turned.func, ast.Attribute)
            turned.func.value, turned.args[0] = turned.args[0], turned.func.value
            yield "factors the other way round", turned
    if isinstance(node, ast.BinOp):
        yield "left operand alone", node.left
        yield "right operand alone", node.right
        for operator in (ast.Add, ast.Sub, ast.Mult, ast.Div):
            if not isinstance(node.op, operator | ast.MatMult):
                yield operator.__name__, ast.BinOp(node.left, operator(), node.right)
    if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Is | ast.IsNot):
        flipped = ast.IsNot() if isinstance(node.ops[0], ast.Is) else ast.Is()
        yield "comparison turned round", ast.Compare(node.left, [flipped], node.comparators)
    if isinstance(node, ast.IfExp):
        yield "always", node.body
        yield "never", node.orelse
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        yield "one more", ast.Constant(node.value + 1)
    if isinstance(node, ast.BoolOp):
        yield "first condition alone", node.values[0]
        yield "second condition alone", node.values[1]


def _tuples(node: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    if isinstance(node, ast.Tuple) and len(node.elts) > 1:
        yield "reversed", ast.Tuple(node.elts[::-1], node.ctx)
        yield "one less", ast.Tuple(node.elts[:-1], node.ctx)
        if isinstance(node.ctx, ast.Load):
            yield "one more", ast.Tuple([*node.elts, ast.Constant(None)], node.ctx)
            for index in range(len(node.elts)):
                elements = [*node.elts]
                elements[index] = ast.Constant(None)
                yield f"None at {index}", ast.Tuple(elements, node.ctx)
                elements[index] = ast.UnaryOp(ast.USub(), node.elts[index])
                yield f"negative at {index}", ast.Tuple(elements, node.ctx)


def _statements(node: ast.AST) -> Iterator[tuple[str, ast.AST | None]]:
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.If):
        yield "statement gone", None
    if isinstance(node, ast.If):
        yield "condition gone", ast.If(ast.Constant(True), node.body, node.orelse)
    if isinstance(node, ast.FunctionDef):
        yield "method gone", None
    if isinstance(node, ast.Assign):
        yield "None instead", ast.Assign(node.targets, ast.Constant(None))


_CHANGES: tuple[_Change, ...] = (_expressions, _tuples, _statements)


class _Swap(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.AST | None) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> ast.AST | None:
        if node is not self.old:
            return self.generic_visit(node)
        return ast.Pass() if self.new is None and isinstance(node, ast.stmt) else self.new


def mutants(source: str) -> list[tuple[str, str]]:
    """Every mutant of a text, in a fixed order."""
    found = []
    for index, node in enumerate(ast.walk(ast.parse(source))):
        count = sum(1 for change in _CHANGES for _ in change(node))
        for number in range(count):
            tree = ast.parse(source)
            old = list(ast.walk(tree))[index]
            what, new = [pair for change in _CHANGES for pair in change(old)][number]
            swapped = _Swap(old, new).visit(tree)
            assert swapped is not None
            text = ast.unparse(ast.fix_missing_locations(swapped))
            line = getattr(node, "lineno", 0)
            found.append((f"line {line}: {ast.unparse(node)[:50]!r} {what}", text))
    return found
