"""Give an experiment its arguments, each as its parameter's annotation wants it."""

from __future__ import annotations

import collections.abc
import inspect
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any

import torch

from closedbook.model.value import Number, Shape, TensorSpec, Value
from closedbook.problem import did_you_mean
from closedbook.verify.run.inputs import BadArgumentError, build, plain
from closedbook.verify.run.limit import from_outside
from closedbook.verify.run.loading import (
    BrokenGeneratorError,
    Definition,
    Failure,
    Generators,
)


def bind(
    definition: Definition, arguments: Mapping[str, Value], generators: Generators
) -> dict[str, Any]:
    """Return the keyword arguments of a call. Raises BadArgumentError where they do not fit.

    Raises BrokenGeneratorError where none would.
    """
    parameters = parameters_of(definition)
    for given in arguments:
        if given not in parameters:
            listed = ", ".join(repr(name) for name in parameters) or "no arguments"
            raise BadArgumentError(
                f"{definition.name} takes {listed}, not {given!r}{did_you_mean(given, parameters)}",
                given,
            )
    for name, (_, default) in parameters.items():
        if default is inspect.Parameter.empty and name not in arguments:
            raise BadArgumentError(f"{definition.name} needs {name!r} in 'with'")
    return {
        name: _converted(definition, name, parameters[name][0], value, generators)
        for name, value in arguments.items()
    }


def parameters_of(definition: Definition) -> dict[str, tuple[Any, Any]]:
    """Return each parameter's annotation and default. Raises BrokenGeneratorError without one."""
    place = definition.place
    try:
        hints = typing.get_type_hints(definition.value)
    except BaseException as error:  # an annotation is the author's code and may raise anything
        if from_outside(error):
            raise
        text = f"the annotations of {definition.name} cannot be read: {error}"
        raise BrokenGeneratorError(text, place) from None
    found = {}
    for name, parameter in inspect.signature(definition.value).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            text = f"{definition.name} takes *{name}: give each parameter a name"
            raise BrokenGeneratorError(text, place)
        if parameter.kind is parameter.POSITIONAL_ONLY:
            text = f"{definition.name}: {name!r} cannot be given by its name"
            raise BrokenGeneratorError(text, place)
        if name not in hints:
            text = f"{definition.name}: parameter {name!r} needs an annotation"
            raise BrokenGeneratorError(text, place)
        found[name] = (hints[name], parameter.default)
    return found


def takes_function(annotation: Any) -> bool:
    """Whether a parameter takes the name of a reference or a flawed Function."""
    if typing.get_origin(annotation) is type:
        (inner,) = typing.get_args(annotation)
        return isinstance(inner, type) and issubclass(inner, torch.autograd.Function)
    if typing.get_origin(annotation) in _UNIONS:
        return any(takes_function(member) for member in typing.get_args(annotation))
    return False


_UNIONS = (typing.Union, types.UnionType)


class _UnfitError(Exception):
    """The value is not what this annotation takes."""


def _converted(
    definition: Definition, name: str, annotation: Any, value: Value, generators: Generators
) -> Any:
    try:
        return _fit(name, annotation, value, generators)
    except BadArgumentError as problem:
        problem.argument = name
        raise
    except _UnfitError:
        wanted = inspect.formatannotation(annotation)
        text = f"{definition.name} takes {name!r} as {wanted}, not {_said(value)}"
        raise BadArgumentError(text, name) from None


def _said(value: Value) -> str:
    if isinstance(value, Shape):
        return f"the shape {value}"
    if isinstance(value, TensorSpec):
        return "a tensor"
    if isinstance(value, tuple):
        return f"the list {plain(value)}"
    return value.text if isinstance(value, Number) else repr(value)


def _fit(name: str, annotation: Any, value: Value, generators: Generators) -> Any:
    origin, inner = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in _UNIONS:
        return _first_fit(name, inner, value, generators)
    if origin is typing.Literal:
        return _one_of(inner, value)
    if takes_function(annotation):
        return _function(value, generators)
    if isinstance(value, tuple):
        return _items(name, origin or annotation, inner, value, generators)
    if origin in _LISTS and inner == (str,):
        return _as_texts(name, value)
    taker = _TAKERS.get(origin or annotation)
    if taker is None:
        if annotation is typing.Any:
            return build(name, value)
        raise _UnfitError
    return taker(name, value)


def _first_fit(name: str, members: tuple[Any, ...], value: Value, generators: Generators) -> Any:
    for member in members:
        try:
            return _fit(name, member, value, generators)
        except _UnfitError:
            continue
    raise _UnfitError


def _one_of(choices: tuple[Any, ...], value: Value) -> Any:
    given = plain(value)
    text = value.text if isinstance(value, Number) else value
    for choice in choices:
        if choice == (text if isinstance(choice, str) else given):
            return choice
    raise _UnfitError


def _function(value: Value, generators: Generators) -> Any:
    if not isinstance(value, str):
        raise _UnfitError
    found = generators.get(value)
    if isinstance(found, Failure):
        if found.broken:
            raise BrokenGeneratorError(found.text, found.place)
        raise BadArgumentError(found.text)
    if found.mark.role == "experiment":
        raise BadArgumentError(f"{value!r} is an experiment, not a Function")
    return found.value


def _text(name: str, value: Value) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, Number):
        return value.text
    raise _UnfitError


def _whole(name: str, value: Value) -> int:
    if isinstance(value, Number) and isinstance(value.value, int):
        return value.value
    raise _UnfitError


def _real(name: str, value: Value) -> float:
    if isinstance(value, Number):
        return float(value.value)
    raise _UnfitError


def _truth(name: str, value: Value) -> bool:
    if isinstance(value, bool):
        return value
    raise _UnfitError


def _nothing(name: str, value: Value) -> None:
    if value is not None:
        raise _UnfitError


def _sizes(name: str, value: Value) -> tuple[int, ...]:
    if isinstance(value, Shape):
        return value.sizes
    raise _UnfitError


def _size(name: str, value: Value) -> torch.Size:
    return torch.Size(_sizes(name, value))


def _values(name: str, value: Value) -> list[Any]:
    if isinstance(value, TensorSpec) and isinstance(value.values, list):
        return value.values
    raise _UnfitError


_LISTS = (list, collections.abc.Sequence)


def _items(
    name: str,
    container: Any,
    inner: tuple[Any, ...],
    values: tuple[Value, ...],
    generators: Generators,
) -> Any:
    """A list with texts in it, each item as the annotation wants it."""
    if container is typing.Any:
        return plain(values)
    if container is tuple and inner[1:] == (...,):
        return tuple(_fit(name, inner[0], value, generators) for value in values)
    if container not in _LISTS:
        raise _UnfitError
    if not inner:
        return plain(values)
    return [_fit(name, inner[0], value, generators) for value in values]


def _as_texts(name: str, value: Value) -> list[str]:
    """Whole numbers where texts are wanted; of other numbers nobody knows how they were typed."""
    values = _values(name, value)
    if not all(type(each) is int for each in values):
        raise _UnfitError
    return [str(each) for each in values]


def _tensor(name: str, value: Value) -> torch.Tensor:
    if isinstance(value, Number):
        return torch.tensor(float(value.value), dtype=torch.float64, requires_grad=True)
    made = build(name, value)
    if not isinstance(made, torch.Tensor):
        raise _UnfitError
    return made


def _mapping(name: str, value: Value) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    raise _UnfitError


_TAKERS: dict[Any, Callable[[str, Value], Any]] = {
    str: _text,
    int: _whole,
    float: _real,
    bool: _truth,
    type(None): _nothing,
    tuple: _sizes,
    torch.Size: _size,
    list: _values,
    collections.abc.Sequence: _values,
    torch.Tensor: _tensor,
    dict: _mapping,
}
