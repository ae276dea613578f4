"""Formulas: read by Python's own parser, walked node by node, never evaluated as code.

Reading needs no torch; :func:`evaluate` imports it when it is called.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Mapping
from typing import Any

from closedbook.problem import did_you_mean

ATTRIBUTES = frozenset({"T", "mT", "shape", "ndim", "dtype"})
FUNCTIONS = frozenset(
    """
    abs acos add amax amin argmax argmin asin atan atan2 baddbmm bmm broadcast_to cat ceil clamp
    clip clone contiguous conj cos cosh cross cumprod cumsum detach diag diagonal div dot double
    eq erf exp exp2 expand expand_as expm1 eye flatten flip float floor full_like gather ge gelu
    gt heaviside item le leaky_relu lerp log log10 log1p log2 log_softmax logsumexp lt matmul
    max maximum mean min minimum mm movedim mul mv narrow ne neg new_ones new_zeros norm numel
    ones ones_like outer permute pow prod reciprocal relu repeat reshape roll rsqrt select
    sigmoid sign silu sin sinh size softmax softplus sqrt square squeeze stack std sub sum
    sum_to_size swapaxes t tan tanh tensor tile trace transpose tril triu unsqueeze var view
    view_as where zeros zeros_like
    """.split()  # noqa: SIM905  # a table of words reads better than one of quotes
)
KEYWORDS = frozenset(
    """
    dim keepdim dtype min max negative_slope dims diagonal unbiased correction alpha beta
    """.split()  # noqa: SIM905  # a table of words reads better than one of quotes
)
MODULES = frozenset({"torch", "F"})

_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
}
_UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
_LONGEST = 500
_LARGEST_POWER = 64


class FormulaError(ValueError):
    """What is wrong with a formula.

    ``column`` counts, from 0, to what is wrong within its text; it is None where nothing that is
    written there is, and the formula shows nothing all the same.
    """

    def __init__(self, message: str, column: int | None = None) -> None:
        super().__init__(message)
        self.column = column


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> ast.expr:
    """Return the tree of a formula in which every node is allowed. Raises FormulaError."""
    if len(text) > _LONGEST:
        raise FormulaError(f"a formula has at most {_LONGEST} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise FormulaError(f"not an expression: {error.msg}", (error.offset or 1) - 1) from None
    except (ValueError, RecursionError, MemoryError):
        raise FormulaError("not an expression that Python can read") from None
    _allow(tree)
    return tree


def names_in(tree: ast.expr) -> frozenset[str]:
    """Return the names of tensors and numbers that a formula uses."""
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return frozenset(
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and id(node) not in called and node.id not in MODULES
    )


def refuse_itself(tree: ast.expr, fact: str) -> None:
    """Raise FormulaError where a formula uses the very fact that it is to give: it always would."""
    if fact in names_in(tree):
        raise FormulaError(f"it uses {fact!r}, the very fact that it is to give")


def whole_numbers_in(tree: ast.expr) -> frozenset[int]:
    """Return the whole numbers that a formula writes out."""
    return frozenset(
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and type(node.value) is int
    )


def _allow(node: ast.AST) -> None:
    """Raise FormulaError at the first node, in reading order, that no formula may hold."""
    match node:
        case ast.Constant(value=None | bool() | int() | float()) | ast.Name():
            return
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            _allow(left)
            _allow(right)
        case ast.UnaryOp(op=op, operand=operand) if type(op) in _UNARY:
            _allow(operand)
        case ast.Attribute(value=value, attr=attr):
            _allow_attribute(node, value, attr)
        case ast.Call():
            _allow_call(node)
        case ast.Subscript(value=value, slice=index):
            _allow(value)
            _allow_index(index)
        case ast.Tuple(elts=items) | ast.List(elts=items):
            for item in items:
                _allow(item)
        case _:
            raise _refused(node)


def _allow_attribute(node: ast.Attribute, value: ast.expr, attr: str) -> None:
    if isinstance(value, ast.Name) and value.id == "torch" and attr in _DTYPES:
        return
    _allow(value)
    if attr not in ATTRIBUTES:
        hint = did_you_mean(attr, ATTRIBUTES)
        if attr in FUNCTIONS:
            hint = f" (did you mean '{attr}()'?)"
        raise FormulaError(f"attribute {attr!r} is not allowed here{hint}", _column(node))


_DTYPES = frozenset({"float32", "float64", "int64", "bool", "float16", "bfloat16"})


def _allow_call(node: ast.Call) -> None:
    match node.func:
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES:
            pass
        case ast.Attribute(value=value, attr=name):
            _allow(value)
        case ast.Name(id=name):
            pass
        case _:
            raise _refused(node.func)
    if name not in FUNCTIONS:
        raise FormulaError(
            f"{name!r} is not among the functions of formulas{did_you_mean(name, FUNCTIONS)}",
            _column(node.func),
        )
    for argument in node.args:
        _allow(argument)
    for keyword in node.keywords:
        if keyword.arg not in KEYWORDS:
            hint = did_you_mean(keyword.arg, KEYWORDS) if keyword.arg else ""
            raise FormulaError(f"argument {keyword.arg!r} is not allowed{hint}", _column(keyword))
        _allow(keyword.value)


def _allow_index(node: ast.expr) -> None:
    match node:
        case ast.Constant(value=None) | ast.Constant(value=int()):
            return
        case ast.Constant() if node.value is ...:
            return
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int())):
            return
        case ast.Slice(lower=lower, upper=upper, step=step):
            for part in (lower, upper, step):
                if part is not None:
                    _allow_index(part)
        case ast.Tuple(elts=items):
            for item in items:
                _allow_index(item)
        case _:
            raise FormulaError(
                "an index is whole numbers, slices, None and ... only", _column(node)
            )


def _column(node: ast.AST) -> int:
    """Where a node begins in the text; an attribute, where its own name does."""
    if isinstance(node, ast.Attribute):
        return (node.end_col_offset or 0) - len(node.attr)
    return int(getattr(node, "col_offset", 0))


def _refused(node: ast.AST) -> FormulaError:
    said = ast.unparse(node)
    return FormulaError(f"{said[:60]!r} is not allowed in a formula", _column(node))


def evaluate(tree: ast.expr, names: Mapping[str, Any]) -> Any:
    """Return the value of a parsed formula: a tensor, a number, a tuple.

    ``names`` gives the run's tensors. Raises FormulaError for an unknown name, one that is None,
    and for whatever torch says of the operands.
    """
    try:
        return _value(tree, names)
    except FormulaError:
        raise
    except (RuntimeError, TypeError, ValueError, IndexError, ArithmeticError) as error:
        first = str(error).strip().partition("\n")[0]
        raise FormulaError(f"{type(error).__name__}: {first}") from None


def _value(node: ast.AST, names: Mapping[str, Any]) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return _named(node, name, names)
        case ast.BinOp(left=left, op=op, right=right):
            return _operate(type(op), _value(left, names), _value(right, names))
        case ast.UnaryOp(op=op, operand=operand):
            return _UNARY[type(op)](_value(operand, names))
        case ast.Attribute(value=ast.Name(id="torch"), attr=attr) if attr in _DTYPES:
            return _function(attr)
        case ast.Attribute(value=value, attr=attr):
            return getattr(_value(value, names), attr)
        case ast.Call():
            return _call(node, names)
        case ast.Subscript(value=value, slice=index):
            return _value(value, names)[_index(index)]
        case ast.Tuple(elts=items):
            return tuple(_value(item, names) for item in items)
        case ast.List(elts=items):
            return [_value(item, names) for item in items]
    raise _refused(node)


def _named(node: ast.Name, name: str, names: Mapping[str, Any]) -> Any:
    if name not in names:
        raise FormulaError(f"unknown name {name!r}{did_you_mean(name, names)}", _column(node))
    value = names[name]
    if value is None:
        raise FormulaError(f"{name!r} is None here", _column(node))
    return value


def _operate(kind: type[ast.operator], left: Any, right: Any) -> Any:
    if kind is ast.Pow and not hasattr(left, "shape") and abs(right) > _LARGEST_POWER:
        raise FormulaError(f"a number's power is at most {_LARGEST_POWER}")
    return _BINARY[kind](left, right)


def _call(node: ast.Call, names: Mapping[str, Any]) -> Any:
    arguments = [_value(argument, names) for argument in node.args]
    keywords = {str(item.arg): _value(item.value, names) for item in node.keywords}
    match node.func:
        case ast.Attribute(value=ast.Name(id=module), attr=name) if module in MODULES:
            return _function(name)(*arguments, **keywords)
        case ast.Attribute(value=value, attr=name):
            owner = _value(value, names)
            if not hasattr(owner, "shape"):
                raise FormulaError(f"{type(owner).__name__} has no {name!r}", _column(node))
            return getattr(owner, name)(*arguments, **keywords)
        case ast.Name(id=name):
            return _function(name)(*arguments, **keywords)
    raise _refused(node)


def _function(name: str) -> Any:
    import torch

    for home in (torch, torch.nn.functional):
        found = getattr(home, name, None)
        if found is not None:
            return found
    return functools.partial(_method, name)


def _method(name: str, owner: Any, *arguments: Any, **keywords: Any) -> Any:
    """Call what is only a tensor's method as a function: ``expand(x, 3, 4)``."""
    return getattr(owner, name)(*arguments, **keywords)


def _index(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(operand=ast.Constant(value=int() as value)):
            return -value
        case ast.Slice(lower=lower, upper=upper, step=step):
            return slice(*(None if part is None else _index(part) for part in (lower, upper, step)))
        case ast.Tuple(elts=items):
            return tuple(_index(item) for item in items)
    raise _refused(node)
