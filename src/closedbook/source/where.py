"""``where``: a condition on a draw, parsed and never ``eval``-ed."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from closedbook.problem import did_you_mean
from closedbook.source.quiet import quiet

Condition = Callable[[Mapping[str, int | str]], Any]

MAX_LENGTH = 1000

_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda left, right: left in right,
    ast.NotIn: lambda left, right: left not in right,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_ALLOWED = "names of 'vary', whole numbers, comparisons, and, or, not, in, + - * // %"


@dataclass(frozen=True, slots=True)
class WhereMistake(Exception):  # noqa: N818  (raised and caught within `source`; never leaves it)
    """What is wrong with a condition, and at which character of its text."""

    message: str
    offset: int = 0


def parse_where(text: str, names: Collection[str]) -> Condition:
    """The condition as a function of a draw.

    Raises :class:`WhereMistake`, and the function raises TypeError or ZeroDivisionError where a
    draw's values do not go together.
    """
    flat = " ".join(text.splitlines())
    if len(flat) > MAX_LENGTH:
        raise WhereMistake(f"a condition has at most {MAX_LENGTH} characters")
    lead = len(flat) - len(flat.lstrip())
    try:
        with quiet():
            tree = ast.parse(flat.strip(), mode="eval")
        return _Compiler(frozenset(names), lead, flat).build(tree.body)
    except SyntaxError as error:
        at = lead + max(0, (error.offset or 1) - 1)
        raise WhereMistake(f"this condition is no expression: {error.msg}", at) from None
    except (ValueError, RecursionError, MemoryError):
        raise WhereMistake("this condition is nested too deeply") from None


class _Compiler:
    """Turns the few forms that a condition may have into closures."""

    def __init__(self, names: frozenset[str], lead: int, text: str) -> None:
        self.names = names
        self.lead = lead
        self.text = text

    def mistake(self, node: ast.AST, message: str) -> WhereMistake:
        """A mistake at the character of a node."""
        column = getattr(node, "col_offset", 0)
        characters = len(self.text.strip().encode()[:column].decode("utf-8", "ignore"))
        return WhereMistake(message, self.lead + characters)

    def build(self, node: ast.expr) -> Condition:
        """The function of one node."""
        match node:
            case ast.Constant(value=bool() | int() | str() as value):
                return lambda draw: value
            case ast.Name(id=name):
                if name not in self.names:
                    near = did_you_mean(name, self.names)
                    message = f"'vary' has no {name!r}{near}"
                    raise self.mistake(node, message)
                return operator.itemgetter(name)
            case ast.BoolOp(op=op, values=values):
                return _both(isinstance(op, ast.And), [self.build(value) for value in values])
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.build(operand)
                return lambda draw: not inner(draw)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                inner = self.build(operand)
                return lambda draw: -inner(draw)
            case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
                return _arithmetic(_ARITHMETIC[type(op)], self.build(left), self.build(right))
            case ast.Compare(left=left, ops=ops, comparators=rest) if all(
                type(op) in _COMPARE for op in ops
            ):
                parts = [self.build(part) for part in (left, *rest)]
                return _chain([_COMPARE[type(op)] for op in ops], parts)
            case ast.Tuple(elts=items) | ast.List(elts=items) | ast.Set(elts=items):
                members = [self.build(item) for item in items]
                return lambda draw: [member(draw) for member in members]
        raise self.mistake(node, f"a condition holds {_ALLOWED}; not {ast.unparse(node)[:40]!r}")


def _both(every: bool, parts: list[Condition]) -> Condition:
    if every:
        return lambda draw: all(part(draw) for part in parts)
    return lambda draw: any(part(draw) for part in parts)


def _arithmetic(apply: Callable[[Any, Any], Any], left: Condition, right: Condition) -> Condition:
    def calculate(draw: Mapping[str, int | str]) -> Any:
        a, b = left(draw), right(draw)
        if not isinstance(a, int) or not isinstance(b, int):
            raise TypeError("calculation needs whole numbers")
        return apply(a, b)

    return calculate


def _chain(ops: list[Callable[[Any, Any], Any]], parts: list[Condition]) -> Condition:
    if len(ops) == 1:
        apply, left, right = ops[0], parts[0], parts[1]
        return lambda draw: apply(left(draw), right(draw))

    def compare(draw: Mapping[str, int | str]) -> bool:
        values = [part(draw) for part in parts]
        return all(op(a, b) for op, a, b in zip(ops, values, values[1:], strict=False))

    return compare
