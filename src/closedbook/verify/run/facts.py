"""What a run offers: named facts, and how a tensor, a text, an exception become plain data."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch

from closedbook.verify.run.care import Warned
from closedbook.verify.run.loading import Failure, failure_of
from closedbook.verify.run.scrub import scrub
from closedbook.verify.verified import Fact

_LARGEST = 4096


class NoSuchFactError(LookupError):
    """The run offers no fact of that name; the text says which was probably meant."""


class NotReachedError(Exception):
    """The fact was not reached: an exception came first, or what it tells of did not happen."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An exception in words: the names of its type and its bases, its text, the bank's frames."""

    names: tuple[str, ...]
    message: str
    failure: Failure

    @property
    def said(self) -> str:
        """Type and text, as a fact shows them."""
        return f"{self.names[0]}: {self.message}".removesuffix(": ")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome of gradcheck or gradgradcheck; numbers as its message has them.

    ``empty`` says why passing shows nothing, where it does not.
    """

    passes: bool
    message: str = ""
    output: int | None = None
    input: int | None = None
    empty: str = ""

    @property
    def said(self) -> str:
        """The verdict as a fact shows it."""
        if self.passes:
            return "passes"
        if self.output is None:
            return "fails"
        return f"fails at output {self.output}, input {self.input}"

    @property
    def explained(self) -> str:
        """The verdict, and the sentence in which torch says why; the Jacobians follow there."""
        first = self.message.partition("\n")[0].rstrip(",")
        return f"{self.said}: {first}" if first else self.said


class Source(Protocol):
    """A run, as expectations ask it. Every answer is the same whatever was asked before."""

    def fact(self, name: str) -> Fact:
        """Return a fact. Raises NoSuchFactError, NotReachedError or FormulaError."""
        ...

    def raised(self) -> Raised | None:
        """Return what the run raised."""
        ...

    def warned(self, names: frozenset[str]) -> tuple[Warned, ...]:
        """Return what was warned of in those parts of the run that the facts ``names`` need."""
        ...

    def verdict(self, name: str) -> Verdict:
        """Return the verdict of ``gradcheck`` or ``gradgradcheck``. Raises NoSuchFactError."""
        ...

    def formula(self, name: str, expression: str) -> tuple[str, str] | None:
        """Return both sides in words where the fact is not what the formula gives."""
        ...


def raised_of(error: BaseException, root: Path) -> Raised:
    """Put an exception into words and let go of it: its frames keep tensors alive."""
    names = tuple(base.__name__ for base in type(error).__mro__ if base is not object)
    said = scrub(str(error), root)
    failure = failure_of(error, root)
    error.__traceback__ = None
    return Raised(names, said, failure)


def fact_of_tensor(tensor: torch.Tensor) -> Fact:
    """Return a tensor's values: a number, nested lists, or a sentence where there are too many."""
    if tensor.numel() > _LARGEST:
        return f"a tensor of shape {tuple(tensor.shape)}, {dtype_name(tensor.dtype)}"
    values = tensor.tolist()
    return _complex_as_text(values) if tensor.is_complex() else values


def _complex_as_text(values: Any) -> Fact:
    return [_complex_as_text(item) for item in values] if isinstance(values, list) else str(values)


def dtype_name(dtype: torch.dtype) -> str:
    """Return ``float64`` for ``torch.float64``, as ``with`` writes it."""
    return str(dtype).removeprefix("torch.")


def attribute_of(tensor: torch.Tensor, name: str) -> Fact:
    """Return one of :data:`TENSOR_FACTS` of a tensor."""
    if name == "shape":
        return tuple(tensor.shape)
    if name == "dtype":
        return dtype_name(tensor.dtype)
    if name == "strides":
        return tuple(tensor.stride())
    if name == "requires_grad":
        return tensor.requires_grad
    return tensor.dim()


TENSOR_FACTS = ("shape", "dtype", "strides", "requires_grad", "ndim")


def fact_of(value: Any) -> Fact:
    """Return whatever a formula or a Function's output may be as plain data."""
    if isinstance(value, torch.Tensor):
        return fact_of_tensor(value)
    if isinstance(value, torch.dtype):
        return dtype_name(value)
    if isinstance(value, torch.Size):
        return tuple(value)
    if isinstance(value, tuple) and all(type(item) is int for item in value):
        return value
    if isinstance(value, tuple | list):
        return [fact_of(item) for item in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    return scrub(repr(value))
