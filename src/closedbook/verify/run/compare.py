"""Compare an observed fact with a stated value, and say shortly where they differ.

Whole numbers, shapes, truth values, None and texts are exact. Other numbers hold within
``|observed - value| <= atol + rtol * |value|``. NaN equals NaN, an infinity equals itself, and
0.0 is what -0.0 was observed to be, but not the other way round. True is not 1.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from typing import Any

from closedbook.model.expect import Equals
from closedbook.model.value import Number, Shape
from closedbook.verify.tolerance import slack
from closedbook.verify.verified import Fact

_WIDTH = 160
Sides = tuple[str, str]
"""What was expected and what was observed, in words."""


def differs(fact: Fact, want: Equals) -> Sides | None:
    """Return both sides in words where ``fact`` is not what ``want`` says, else None."""
    if type(fact) is tuple and type(want.value) is Shape:
        return None if fact == want.value.sizes else (str(want.value.sizes), show(fact))
    if isinstance(fact, str):
        return _text_differs(fact, want)
    expected = _python(want.value)
    if isinstance(expected, str) and fact is not None:
        expected = _literal(expected)
    if isinstance(fact, list) and isinstance(expected, tuple):
        expected = list(expected)  # (True, False) is how Python shows what a fact has as a list
    return _differs(fact, expected, want, ())


def show(value: Any) -> str:
    """Return a fact in words, cut where it is long."""
    text = repr(value)
    return text if len(text) <= _WIDTH else f"{text[:_WIDTH].rstrip()}…"


def _text_differs(fact: str, want: Equals) -> Sides | None:
    if fact == want.text or fact.strip() == want.text.strip():
        return None
    return repr(want.text.strip()) if isinstance(want.value, str) else want.text, show(fact)


def _python(value: Any) -> Any:
    """The expected value as plain Python: numbers for :class:`Number`, tuples for shapes."""
    if isinstance(value, Number):
        return value.value
    if isinstance(value, Shape):
        return value.sizes
    if isinstance(value, list | tuple):
        return [_python(_literal(item) if isinstance(item, str) else item) for item in value]
    return value


def _literal(text: str) -> Any:
    """What the text says in Python, such as a list of shapes; the text itself where it is none."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _differs(fact: Any, expected: Any, want: Equals, at: tuple[int, ...]) -> Sides | None:
    if isinstance(fact, list | tuple) and isinstance(expected, list | tuple):
        return _list_differs(fact, expected, want, at)
    if _same(fact, expected, want):
        return None
    where = f" at {list(at)}" if at else ""
    return f"{show(expected)}{where}", f"{show(fact)}{where}{_hint(fact, expected, want)}"


def _list_differs(
    fact: list[Any] | tuple[Any, ...],
    expected: list[Any] | tuple[Any, ...],
    want: Equals,
    at: tuple[int, ...],
) -> Sides | None:
    if isinstance(fact, tuple) and not at and isinstance(expected, list):
        return f"{show(expected)}, a list", f"{show(fact)}, a shape: write it in parentheses"
    if not at:
        shapes = _shape(expected), _shape(fact)
        if shapes[0] is not None and shapes[1] is not None and shapes[0] != shapes[1]:
            return f"values of shape {shapes[0]}", f"values of shape {shapes[1]}: {show(fact)}"
    if len(fact) != len(expected):
        where = f" at {list(at)}" if at else ""
        return f"{show(expected)}{where}", f"{show(fact)}{where}"
    for index, (left, right) in enumerate(zip(fact, expected, strict=True)):
        found = _differs(left, right, want, (*at, index))
        if found is not None:
            return found
    return None


def _shape(value: Any) -> tuple[int, ...] | None:
    """The shape of nested lists; None where they are not all of one length."""
    if not isinstance(value, list):
        return ()
    inner = {_shape(item) for item in value}
    if not inner:
        return (0,)
    first = inner.pop()
    return None if inner or first is None else (len(value), *first)


def _same(fact: Any, expected: Any, want: Equals) -> bool:
    if fact is None or expected is None:
        return fact is expected
    if isinstance(fact, bool) or isinstance(expected, bool):
        return isinstance(fact, bool) and isinstance(expected, bool) and fact == expected
    if isinstance(fact, int | float) and isinstance(expected, int | float):
        return close(fact, expected, want)
    return bool(type(fact) is type(expected) and fact == expected)


def close(fact: int | float, expected: int | float, want: Equals) -> bool:
    """Whether a number holds: exactly where it was observed whole, else within the tolerance."""
    if isinstance(fact, int) and not want.stated_tolerance:
        return fact == expected
    if math.isnan(fact) or math.isnan(expected):
        return math.isnan(fact) and math.isnan(expected)
    if math.isinf(fact) or math.isinf(expected):
        return fact == expected
    if fact == expected == 0:  # -0.0 is not 0.0 where a card says so
        return math.copysign(1, expected) > 0 or math.copysign(1, fact) < 0
    return abs(fact - expected) <= slack(expected, want)


def _hint(fact: Any, expected: Any, want: Equals) -> str:
    """What to add where the two sides look alike or nearly so."""
    if isinstance(fact, bool) is not isinstance(expected, bool):
        return ""
    if isinstance(fact, int | float) and isinstance(expected, int | float):
        off = abs(fact - expected)
        if 0 < off <= 0.01 * abs(expected) and math.isfinite(off):
            return f" (off by {off:.3g}; rtol {want.rtol:g}, atol {want.atol:g})"
    if isinstance(fact, tuple) and isinstance(expected, int) and fact == (expected,):
        return f" (a shape of one size is written ({expected},))"
    if isinstance(fact, Mapping):
        return " (name one of its entries)"
    return ""
