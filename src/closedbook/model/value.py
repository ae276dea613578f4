"""What may stand in ``with``: plain numbers, text, None, and descriptions of tensors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias, Union

Raw: TypeAlias = Union[str, list["Raw"], dict[str, "Raw"]]
"""YAML as it is read: every scalar is still the text that the author typed."""

Nested: TypeAlias = Union[bool, int, float, list["Nested"]]
"""A tensor's values, rows within rows."""


@dataclass(frozen=True, slots=True)
class Shape:
    """``(5, 4)``. In ``with``: a double tensor of that shape, filled from a fixed seed."""

    sizes: tuple[int, ...]

    def __str__(self) -> str:
        """As Python prints a tuple: ``()``, ``(3,)``, ``(5, 4)``."""
        return str(self.sizes)

    def __repr__(self) -> str:
        """As a dataclass has it, in a quarter of the time: keys of receipts are made of these."""
        return f"Shape(sizes={self.sizes})"


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor described by a mapping (``{shape: "(5, 4)", dtype: float32}``) or by its values.

    ``dtype`` is a name in ``torch`` (None: float64 for drawn and for real values, int64 is kept
    for a list of whole numbers only where the author says so). ``fill`` is ``random`` (from the
    fixed seed), ``zeros``, ``ones``, ``arange`` or a number. ``strides`` None means contiguous.
    Exactly one of ``shape`` and ``values`` is given.
    """

    shape: Shape | None = None
    values: Nested | None = None
    dtype: str | None = None
    requires_grad: bool | None = None
    fill: str | float = "random"
    strides: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A number, and what the author typed for it: ``1.10`` is text where text is wanted."""

    value: int | float
    text: str

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        """As a dataclass has it; see :class:`Shape`."""
        return f"Number(value={self.value!r}, text={self.text!r})"


Value: TypeAlias = Union[
    None, bool, Number, str, Shape, TensorSpec, tuple["Value", ...], Mapping[str, "Value"]
]
"""One argument of a check. A mapping that is no :class:`TensorSpec` is passed on as a dict.

A tuple is a list with a text in it, ``[pear, 3]``, which only an experiment takes; a list of
numbers is a :class:`TensorSpec`.
"""
