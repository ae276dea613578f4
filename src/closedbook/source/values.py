"""The grammar of ``with``: text to :data:`closedbook.model.value.Value`."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from closedbook.model.origin import Loc
from closedbook.model.value import Nested, Number, Raw, Shape, TensorSpec, Value
from closedbook.problem import count, did_you_mean

MAX_NUMBERS = 50_000_000
"""A larger tensor is a mistake: it would not fit the machine that checks the card."""

MAX_DIGITS = 1000

_REMEMBERED = 4096
"""How many scalars are kept with what they stand for: a bank writes few shapes, and often."""

DTYPES = (
    "float64", "float32", "float16", "bfloat16", "double", "float", "half",
    "int64", "int32", "int16", "int8", "uint8", "long", "int", "bool",
    "complex64", "complex128",
)  # fmt: skip
FILLS = ("random", "zeros", "ones", "arange")
SPEC = ("shape", "values", "dtype", "requires_grad", "fill", "strides")

_INT = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_FLOAT = re.compile(
    r"[+-]?((0|[1-9][0-9]*)\.[0-9]*([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?"
    r"|(0|[1-9][0-9]*)[eE][+-]?[0-9]+|inf|nan)"
)
_SHAPE = re.compile(r"\(\s*([0-9]+\s*,\s*)*([0-9]+\s*)?\)")
_SIZE = re.compile(r"[0-9]+")
_TUPLISH = re.compile(r"\([\s0-9,.+\-()*x\u00d7]*\)?")
_WORDS: dict[str, None | bool] = {
    "None": None, "null": None,
    "true": True, "True": True, "false": False, "False": False,
}  # fmt: skip


class Mistake(Exception):  # noqa: N818  (raised and caught within the grammar; never leaves it)
    """A text that the grammar does not take, and the way to it below where parsing began."""

    def __init__(self, message: str, *loc: str | int, key: bool = False) -> None:
        self.message = message
        self.loc = loc
        self.key = key

    def below(self, *loc: str | int) -> Mistake:
        """The same mistake, seen from further out."""
        return Mistake(self.message, *loc, *self.loc, key=self.key)


@dataclass(slots=True)
class Found:
    """Mistakes with their whole way through the card."""

    mistakes: list[tuple[Loc, str, bool]] = field(default_factory=list)

    def add(self, loc: Loc, mistake: Mistake) -> None:
        """Take one, seen from ``loc``."""
        self.mistakes.append(((*loc, *mistake.loc), mistake.message, mistake.key))

    def add_instead(self, loc: Loc, mistake: Mistake) -> None:
        """Take one in place of all that was found at ``loc`` and below: they come from it."""
        self.mistakes = [each for each in self.mistakes if each[0][: len(loc)] != loc]
        self.add(loc, mistake)


def parse_arguments(raw: dict[str, Raw], loc: Loc, found: Found) -> dict[str, Value]:
    """The arguments of ``with`` by name; what is wrong with them goes into ``found``."""
    arguments: dict[str, Value] = {}
    for name, value in raw.items():
        try:
            arguments[name] = parse_value(value)
        except Mistake as mistake:
            found.add((*loc, name), mistake)
    return arguments


def parse_value(raw: Raw) -> Value:
    """One argument. Raises :class:`Mistake`."""
    if isinstance(raw, str):
        return _text_or(raw)
    if isinstance(raw, list):
        return _list(raw)
    if not isinstance(raw, dict):
        raise Mistake("expected text, a list or a mapping")
    if "shape" in raw or "values" in raw or (raw and set(raw) <= set(SPEC)):
        return _parse_spec(raw)
    out: dict[str, Value] = {}
    for name, value in raw.items():
        try:
            out[name] = parse_value(value)
        except Mistake as mistake:
            raise mistake.below(name) from None
    return out


def _list(raw: list[Any]) -> Value:
    """A tensor's values, or where any of them is a text, a list of texts and numbers."""
    try:
        return TensorSpec(values=parse_numbers(raw))
    except Mistake:
        if not _holds_text(raw):
            raise
    return _items(raw)


def _holds_text(raw: Raw) -> bool:
    if isinstance(raw, list):
        return any(map(_holds_text, raw))
    try:
        return isinstance(raw, str) and isinstance(parse_scalar(raw), str | None)
    except Mistake:
        return False  # nearly a shape, say: that is what it is to be told as


def _items(raw: list[Any]) -> tuple[Value, ...]:
    values: list[Value] = []
    for index, item in enumerate(raw):
        try:
            value = _items(item) if isinstance(item, list) else parse_value(item)
        except Mistake as mistake:
            raise mistake.below(index) from None
        if isinstance(value, Shape | Mapping | TensorSpec):
            found = "a shape" if isinstance(value, Shape) else "a mapping"
            raise Mistake(f"a list with texts in it holds texts and numbers, not {found}", index)
        values.append(value)
    return tuple(values)


def no_tensor(value: Value) -> Mistake | None:
    """What is wrong with a list of texts where a tensor is wanted."""
    if not isinstance(value, tuple):
        return None
    for index, item in enumerate(value):
        inner = no_tensor(item)
        if inner is not None:
            return inner.below(index)
        if isinstance(item, str | None) and not isinstance(item, bool):
            return Mistake(
                f"a list is a tensor's values: expected a number, found {str(item)!r}", index
            )
    return None


def _text_or(raw: str) -> Value:
    """A scalar, where text keeps the blanks around it: an experiment may be about them."""
    if raw and raw.isspace():
        return raw
    value = parse_scalar(raw)
    return raw if isinstance(value, str) else value


@lru_cache(maxsize=_REMEMBERED)
def parse_scalar(text: str) -> None | bool | Number | str | Shape:
    """``None``, a truth value, a number, a shape; anything else is text. Raises Mistake."""
    text = text.strip() if text[:1].isspace() or text[-1:].isspace() else text
    if text in _WORDS:
        return _WORDS[text]
    if not text:
        raise Mistake("nothing is given (write None where None is meant)")
    number = parse_number(text)
    if number is not None:
        return number
    if text[0] == "(":
        shape = parse_shape(text)
        if shape is not None:
            return shape
        if _TUPLISH.fullmatch(text):
            raise Mistake(_shape_advice(text))
    return text


def parse_number(text: str) -> Number | None:
    """A number as Python would print it; ``010`` and ``1_000`` are text. Raises Mistake."""
    first = text[:1]
    if not (first.isdigit() or first in "+-.in"):
        return None
    if _INT.fullmatch(text):
        if len(text) > MAX_DIGITS:
            raise Mistake(f"a number of {len(text)} digits is too large")
        return Number(int(text), text)
    if _FLOAT.fullmatch(text):
        value = float(text)
        if math.isinf(value) and "inf" not in text:
            raise Mistake(f"{text} is too large for a float (write inf for infinity)")
        return Number(value, text)
    return None


def parse_shape(text: str) -> Shape | None:
    """``()``, ``(3,)``, ``(5, 4)``; None where the text is no shape. Raises Mistake."""
    if not _SHAPE.fullmatch(text):
        return None
    digits = _SIZE.findall(text)
    if len(digits) == 1 and "," not in text:
        raise Mistake(_shape_advice(text))
    if max(map(len, digits), default=0) > 18:
        raise Mistake("a size of more than 18 digits is too large")
    return Shape(tuple(map(int, digits)))


def _shape_advice(text: str) -> str:
    inner = re.findall(r"[0-9]+", text)
    if re.fullmatch(r"\(\s*[0-9]+\s*\)", text):
        return f"{text} is a number in brackets: the shape of one dimension is ({inner[0]},)"
    if not text.endswith(")"):
        return f"this shape is never closed: write ({', '.join(inner)})"
    return f"{text} is no shape: sizes are whole numbers from 0 with commas between, such as (5, 4)"


def sized(shape: Shape) -> Shape:
    """The shape, where a tensor of it is to be made. Raises Mistake where it would be too large."""
    count = math.prod(shape.sizes)
    if count > MAX_NUMBERS:
        raise Mistake(f"a tensor of shape {shape} has {count} numbers: more than {MAX_NUMBERS}")
    return shape


def parse_numbers(raw: list[Any], depth: int = 0) -> list[Nested]:
    """A tensor's values: numbers or truth values, rows of one length. Raises Mistake."""
    if depth > 16:
        raise Mistake("a tensor has at most 16 dimensions here")
    values: list[Nested] = []
    shapes: set[tuple[int, ...]] = set()
    for index, item in enumerate(raw):
        try:
            if isinstance(item, list):
                row = parse_numbers(item, depth + 1)
                values.append(row)
                shapes.add(_shape_of(row))
            else:
                values.append(_one_number(item))
                shapes.add(())
        except Mistake as mistake:
            raise mistake.below(index) from None
    if len(shapes) > 1:
        raise Mistake("the rows of a tensor have one length")
    return values


def _one_number(item: Raw) -> bool | int | float:
    if isinstance(item, dict):
        raise Mistake("expected a number, found a mapping")
    value = parse_scalar(str(item))
    if isinstance(value, bool):
        return value
    if isinstance(value, Number):
        return value.value
    if isinstance(value, Shape):
        raise Mistake(
            "a list is a tensor's values: expected a number, found a shape "
            "(give several tensors as several arguments)"
        )
    raise Mistake(f"a list is a tensor's values: expected a number, found {item!r}")


def _shape_of(row: Nested) -> tuple[int, ...]:
    shape = []
    while isinstance(row, list):
        shape.append(len(row))
        if not row:
            break
        row = row[0]
    return tuple(shape)


def _parse_spec(raw: dict[str, Any]) -> TensorSpec:
    """A tensor described by a mapping. Raises Mistake."""
    for name in raw:
        if name not in SPEC:
            near = did_you_mean(name, SPEC) or f" (it has {', '.join(SPEC)})"
            raise Mistake(f"unknown field {name!r} in a tensor{near}", name, key=True)
    if ("shape" in raw) == ("values" in raw):
        raise Mistake("a tensor is given by 'shape' or by 'values', one of them")
    spec: dict[str, Any] = {}
    for name, value in raw.items():
        try:
            spec[name] = _SPEC_PARSERS[name](value)
        except Mistake as mistake:
            raise mistake.below(name) from None
    strides, shape = spec.get("strides"), spec.get("shape")
    if strides is not None:
        sizes = shape.sizes if shape is not None else _shape_of(spec["values"])
        if len(strides) != len(sizes):
            dimensions = count(len(sizes), "dimension")
            raise Mistake(f"the tensor has {dimensions}, its strides are {len(strides)}", "strides")
    return TensorSpec(**spec)


def _spec_shape(raw: Any) -> Shape:
    value = parse_scalar(raw) if isinstance(raw, str) else None
    if isinstance(value, Shape):
        return sized(value)
    if isinstance(raw, list) and all(isinstance(x, str) and x.isdigit() for x in raw):
        return sized(Shape(tuple(int(x) for x in raw)))
    raise Mistake('expected a shape in quotes, such as "(5, 4)"')


def _spec_values(raw: Any) -> Nested:
    if isinstance(raw, list):
        return parse_numbers(raw)
    return _one_number(raw)


def _spec_dtype(raw: Any) -> str:
    name = raw.removeprefix("torch.") if isinstance(raw, str) else ""
    if name not in DTYPES:
        raise Mistake(
            f"unknown dtype{did_you_mean(name, DTYPES) or ': one of ' + ', '.join(DTYPES)}"
        )
    return name


def _spec_truth(raw: Any) -> bool:
    value = parse_scalar(raw) if isinstance(raw, str) else None
    if not isinstance(value, bool):
        raise Mistake("expected true or false")
    return value


def _spec_fill(raw: Any) -> str | float:
    if isinstance(raw, str):
        if raw in FILLS:
            return raw
        number = parse_number(raw)
        if number is not None:
            return float(number.value)
    raise Mistake(f"a fill is one of {', '.join(FILLS)}, or a number")


def _spec_strides(raw: Any) -> tuple[int, ...]:
    value = parse_scalar(raw) if isinstance(raw, str) else None
    if not isinstance(value, Shape):
        raise Mistake('expected strides in quotes, such as "(1, 5)"')
    return value.sizes


_SPEC_PARSERS = {
    "shape": _spec_shape,
    "values": _spec_values,
    "dtype": _spec_dtype,
    "requires_grad": _spec_truth,
    "fill": _spec_fill,
    "strides": _spec_strides,
}
