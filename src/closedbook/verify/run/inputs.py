"""Make the arguments of a run from what ``with`` says.

A drawn tensor comes from a seed that depends on its argument's name and on the number of the
draw alone: the order of a mapping, other arguments and other checks change nothing.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Mapping
from typing import Any

import torch

from closedbook.model.value import Number, Shape, TensorSpec, Value
from closedbook.problem import did_you_mean

_GENERATOR = torch.Generator()
_SEED = 20260101
_FILLS = ("random", "zeros", "ones", "arange")


class BadArgumentError(ValueError):
    """What an author gave in ``with`` cannot be made; the text says why.

    ``argument`` is the name of what does not fit, where it is one argument alone.
    """

    def __init__(self, message: str, argument: str | None = None) -> None:
        super().__init__(message)
        self.argument = argument


@functools.cache
def _seed(name: str, draw: int) -> int:
    return zlib.crc32(f"{name}/{draw}".encode()) ^ _SEED


def build(name: str, value: Value, draw: int = 0) -> Any:
    """Return the Python object for one argument. Raises :class:`BadArgumentError`.

    A :class:`Shape` is a float64 tensor of that shape that requires grad, drawn from a standard
    normal; a :class:`TensorSpec` likewise, as far as it does not say otherwise.
    """
    kind = type(value)
    if kind is Shape:
        return drawn(value.sizes, name, draw)  # type: ignore[union-attr]  # kind is Shape
    if kind is Number:
        return value.value  # type: ignore[union-attr]  # kind is Number
    if kind is TensorSpec:
        return _described(name, value, draw)  # type: ignore[arg-type]  # kind is TensorSpec
    if isinstance(value, Mapping | tuple):
        try:
            return plain(value)
        except BadArgumentError as problem:
            problem.argument = name
            raise
    return value


def drawn(
    sizes: tuple[int, ...], name: str, draw: int = 0, *, requires_grad: bool = True
) -> torch.Tensor:
    """Return a float64 tensor of shape ``sizes``, from a standard normal."""
    _GENERATOR.manual_seed(_seed(name, draw))
    return torch.randn(
        sizes, generator=_GENERATOR, dtype=torch.float64, requires_grad=requires_grad
    )


def plain(value: Value) -> Any:
    """Return ``value`` without tensors: a shape is a tuple, a list a list."""
    if isinstance(value, Number):
        return value.value
    if isinstance(value, Shape):
        return value.sizes
    if isinstance(value, TensorSpec):
        if value.values is not None:
            return value.values
        raise BadArgumentError("a tensor by its shape cannot stand inside a mapping")
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value


def dtype_of(name: str) -> torch.dtype:
    """Return the dtype of that name. Raises :class:`BadArgumentError`."""
    found = getattr(torch, name.removeprefix("torch."), None)
    if isinstance(found, torch.dtype):
        return found
    known = [key for key in dir(torch) if isinstance(getattr(torch, key), torch.dtype)]
    raise BadArgumentError(f"torch has no dtype {name!r}{did_you_mean(name, known)}")


def _described(name: str, spec: TensorSpec, draw: int) -> torch.Tensor:
    try:
        tensor = _of_values(spec) if spec.values is not None else _of_shape(name, spec, draw)
        if spec.strides is not None:
            tensor = _strided(tensor, spec.strides)
        wants = spec.requires_grad
        if wants is None:
            wants = tensor.is_floating_point() or tensor.is_complex()
        return tensor.requires_grad_(wants)
    except BadArgumentError as problem:
        problem.argument = name
        raise
    except (RuntimeError, ValueError, TypeError) as error:
        raise BadArgumentError(f"{name!r} cannot be made: {error}", name) from error


def _of_values(spec: TensorSpec) -> torch.Tensor:
    if spec.dtype is not None:
        return torch.tensor(spec.values, dtype=dtype_of(spec.dtype))
    tensor = torch.tensor(spec.values)
    return tensor if tensor.dtype is torch.bool else torch.tensor(spec.values, dtype=torch.float64)


def _of_shape(name: str, spec: TensorSpec, draw: int) -> torch.Tensor:
    sizes = spec.shape.sizes if spec.shape is not None else ()
    dtype = dtype_of(spec.dtype) if spec.dtype is not None else torch.float64
    fill = spec.fill
    if not isinstance(fill, str):
        return torch.full(sizes, fill, dtype=dtype)
    if fill == "zeros":
        return torch.zeros(sizes, dtype=dtype)
    if fill == "ones":
        return torch.ones(sizes, dtype=dtype)
    if fill == "arange":
        return torch.arange(torch.Size(sizes).numel(), dtype=dtype).reshape(sizes)
    if fill == "random":
        return _random(sizes, dtype, name, draw)
    raise BadArgumentError(
        f"{name!r} cannot be filled with {fill!r}{did_you_mean(fill, _FILLS)}: "
        f"'fill' is {', '.join(_FILLS)} or a number"
    )


def _random(sizes: tuple[int, ...], dtype: torch.dtype, name: str, draw: int) -> torch.Tensor:
    _GENERATOR.manual_seed(_seed(name, draw))
    if dtype is torch.bool:
        return torch.rand(sizes, generator=_GENERATOR) < 0.5
    if not (dtype.is_floating_point or dtype.is_complex):
        return torch.randint(0, 10, sizes, generator=_GENERATOR, dtype=dtype)
    wide = torch.complex128 if dtype.is_complex else torch.float64
    return torch.randn(sizes, generator=_GENERATOR, dtype=wide).to(dtype)


def _strided(tensor: torch.Tensor, strides: tuple[int, ...]) -> torch.Tensor:
    """Return the same values laid out with ``strides``; a stride 0 repeats the first value."""
    laid = torch.empty_strided(tensor.shape, strides, dtype=tensor.dtype)
    if 0 not in strides:
        return laid.copy_(tensor)
    index = tuple(slice(0, 1) if stride == 0 else slice(None) for stride in strides)
    laid[index].copy_(tensor[index])
    return laid


def value_of(raw: Any) -> Any:
    """Read one value of a ``@reference``'s ``example``: what Python says for what YAML could."""
    if raw is None or isinstance(raw, bool | str | Number | Shape | TensorSpec):
        return raw
    if isinstance(raw, int | float):
        return Number(raw, repr(raw))
    if isinstance(raw, tuple) and all(type(size) is int for size in raw):
        return Shape(raw)
    if isinstance(raw, list):
        return TensorSpec(values=raw)
    if isinstance(raw, torch.Tensor):
        return TensorSpec(values=raw.tolist(), dtype=str(raw.dtype).removeprefix("torch."))
    if isinstance(raw, Mapping):
        return _spec_of(raw)
    raise BadArgumentError(f"an example cannot hold {raw!r}")


def _spec_of(raw: Mapping[str, Any]) -> Any:
    fields = set(TensorSpec.__dataclass_fields__)
    if not raw or not set(raw) <= fields or not {"shape", "values"} & set(raw):
        return {key: value_of(item) for key, item in raw.items()}
    given = dict(raw)
    if "shape" in given:
        given["shape"] = Shape(tuple(given["shape"]))
    if isinstance(given.get("dtype"), torch.dtype):
        given["dtype"] = str(given["dtype"]).removeprefix("torch.")
    return TensorSpec(**given)
