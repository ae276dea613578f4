"""What may stand in ``expect``: each expectation of one fact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, Union

from closedbook.model.value import Nested, Number, Shape

DEFAULT_RTOL = 1e-6
DEFAULT_ATOL = 1e-9
WIDEST = 10
"""A tolerance is at most a tenth of its number: 0.9 within 10 says nothing of 0.1."""


@dataclass(frozen=True, slots=True)
class Equals:
    """The fact is this value: a shape, a number, a list, a truth value, None, a text.

    A list is a tensor's values or plain data; a tuple that is no shape, ``(True, False)``, is
    a list too.

    Whole numbers are exact; other numbers hold within ``rtol`` and ``atol`` of it, as
    ``|observed - value| <= atol + rtol * |value|``. ``text`` is what the author typed, which is
    what a fact that is text is compared with.
    """

    value: bool | Number | Shape | Nested | str | None
    text: str
    rtol: float = DEFAULT_RTOL
    atol: float = DEFAULT_ATOL
    stated_tolerance: bool = False

    def __repr__(self) -> str:
        """As a dataclass has it, in a quarter of the time: keys of receipts are made of these."""
        return (
            f"Equals(value={self.value!r}, text={self.text!r}, rtol={self.rtol}, "
            f"atol={self.atol}, stated_tolerance={self.stated_tolerance})"
        )


@dataclass(frozen=True, slots=True)
class Text:
    """The fact is a text that contains ``contains`` and in which ``matches`` (a regex) is found."""

    contains: str | None = None
    matches: str | None = None


@dataclass(frozen=True, slots=True)
class Formula:
    """The fact equals this expression of the run's own tensors, over several draws and shapes."""

    expression: str


@dataclass(frozen=True, slots=True)
class Raises:
    """The run raises an exception of this type (its class name, or a base's) with this text."""

    type: str | None = None
    contains: str | None = None
    matches: str | None = None


@dataclass(frozen=True, slots=True)
class Warns:
    """The run warns with this category, ``count`` times where given (else at least once)."""

    category: str | None = None
    contains: str | None = None
    matches: str | None = None
    count: int | None = None


@dataclass(frozen=True, slots=True)
class Gradcheck:
    """``passes`` True, or where it fails: the output's and the input's number, from 0."""

    passes: bool
    output: int | None = None
    input: int | None = None


Expectation: TypeAlias = Union[Equals, Text, Formula, Raises, Warns, Gradcheck]
