"""Calls, draws and facts in words.

Of a fact as many digits are shown as tell it from what was expected and from its neighbours; the
rule for readers is in docs/facts.md.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from closedbook.model.bank import Draw, Generator
from closedbook.model.claim import Check
from closedbook.model.expect import Equals, Expectation
from closedbook.model.value import Number, TensorSpec, Value
from closedbook.verify.tolerance import slack

if TYPE_CHECKING:
    from closedbook.verify.verified import Fact

_PART = 10
"""What rounding may change is at most this part of the tolerance: 0.33334 within 1e-3 is 0.3333."""
_MOST_DIGITS = 17
"""Significant digits that name any float64."""

Expected = Mapping[str, Expectation]


def facts_in_words(checks: Iterable[tuple[Mapping[str, Fact], Expected]]) -> list[dict[str, str]]:
    """Put the observed facts of a card's checks into words, each check's facts by their names.

    Digits that a check's tolerance gives no meaning to are left out, but never where that would
    make two different facts of the card look alike.
    """
    held = list(checks)
    shown = [
        {name: fact_in_words(fact, expect.get(name)) for name, fact in facts.items()}
        for facts, expect in held
    ]
    meant = defaultdict[str, set[str]](set)
    for (facts, _), texts in zip(held, shown, strict=True):
        for name, text in texts.items():
            meant[text].add(fact_in_words(facts[name]))
    return [
        {
            name: text if len(meant[text]) == 1 else fact_in_words(facts[name])
            for name, text in texts.items()
        }
        for (facts, _), texts in zip(held, shown, strict=True)
    ]


def fact_in_words(fact: Fact, want: Expectation | None = None) -> str:
    """Put one fact into words; without ``want``, with every digit that it has.

    Numbers are as Python writes them, a float that is whole without its ``.0``.
    """
    equals = want if isinstance(want, Equals) else None
    return _text(fact, equals.value if equals else None, equals)


def _text(fact: Fact, expected: Any, want: Equals | None) -> str:
    if isinstance(expected, Number):
        expected = expected.value
    if isinstance(fact, float):
        if want is None or isinstance(expected, bool) or not isinstance(expected, int | float):
            return _exact(fact)
        return _within(fact, expected, want)
    if isinstance(fact, list):
        fits = isinstance(expected, list) and len(expected) == len(fact)
        others = expected if fits else [None] * len(fact)
        items = (_text(item, other, want) for item, other in zip(fact, others, strict=True))
        return f"[{', '.join(items)}]"
    if isinstance(fact, Mapping):
        return ", ".join(f"{name}: {_text(item, None, None)}" for name, item in fact.items())
    return repr(fact) if isinstance(fact, str) else str(fact)


def _exact(value: float) -> str:
    """The fewest digits that read back as this very number; of zero, no sign."""
    return repr(value + 0.0).removesuffix(".0")


def _within(value: float, expected: float, want: Equals) -> str:
    """A number that was held against another within a tolerance, as far as its digits matter.

    At least as many digits as the expected number has are shown, and one at the least.
    """
    if not value and not expected and math.copysign(1, expected) < 0:
        return repr(value)  # a card that speaks of -0.0 wants to see its sign
    if not math.isfinite(value) or not math.isfinite(expected):
        return _exact(value)
    most = slack(expected, want) / _PART
    for digits in range(_digits(expected), _MOST_DIGITS):
        rounded = float(f"{value:.{digits - 1}e}")
        if abs(rounded - value) <= most:
            return _exact(rounded)
    return _exact(value)


def _digits(number: float) -> int:
    """How many significant digits a number has; one for 0."""
    return max(1, len(Decimal(repr(number)).normalize().as_tuple().digits))


def apart(one: complex, other: complex, digits: int = 6) -> tuple[str, str]:
    """Put two numbers into words: ``digits`` significant digits, or as many as tell them apart."""
    for count in range(digits, _MOST_DIGITS):
        left, right = f"{one:.{count}g}", f"{other:.{count}g}"
        if left != right:
            return left, right
    return repr(one), repr(other)


def call_in_words(check: Check, generator: Generator) -> str:
    """``LinearFunction(input=(5, 4), bias=None)``, ``lifetime(function=Square, text='a b')``.

    A text stands in quotes, as Python writes it; the name of a Function is no text.
    """
    arguments = (
        f"{name}={value if name in generator.functions else _value(value)}"
        for name, value in check.arguments.items()
    )
    return f"{check.run}({', '.join(arguments)})"


def _value(value: Value) -> str:
    if isinstance(value, TensorSpec):
        return _tensor(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_value(inner)}" for key, inner in value.items()) + "}"
    return repr(value) if isinstance(value, str) else str(value)


def _tensor(spec: TensorSpec) -> str:
    parts = [str(spec.shape) if spec.shape is not None else str(spec.values)]
    parts += [spec.dtype] if spec.dtype else []
    parts += [f"strides {spec.strides}"] if spec.strides is not None else []
    parts += ["without grad"] if spec.requires_grad is False else []
    parts += [f"filled with {spec.fill}"] if spec.shape and spec.fill != "random" else []
    return parts[0] if len(parts) == 1 else f"tensor({', '.join(parts)})"


def draw_in_words(draw: Draw) -> str:
    """``n=4, i=4, o=4: ``, to open a message with; empty for a card that does not vary."""
    return ", ".join(f"{name}={value}" for name, value in draw.items()) + ": " if draw else ""
