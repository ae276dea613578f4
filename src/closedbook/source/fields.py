"""Which fields a mapping of a card may have, read off the models."""

from __future__ import annotations

import types
from collections.abc import Iterable
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel

from closedbook.model.origin import Loc


def inside(node: Any, step: str | int) -> Any:
    """What stands in plain data at a field or an index; None where nothing does."""
    if isinstance(node, dict):
        return node.get(step)
    if isinstance(node, list) and isinstance(step, int) and 0 <= step < len(node):
        return node[step]
    return None


def names_of(model: type[BaseModel]) -> list[str]:
    """The names of a model's fields as they are written."""
    return [field.alias or name for name, field in model.model_fields.items()]


def fields_at(model: type[BaseModel], loc: Loc) -> list[str]:
    """The names of the fields that the mapping at ``loc`` of a ``model`` may have."""
    return sorted(name for found in _models_at(model, loc) for name in names_of(found))


def limits_at(model: type[BaseModel], loc: Loc) -> dict[str, Any]:
    """The limits of the number at ``loc`` of a ``model``, by their names: ``ge``, ``le``."""
    return {
        name: getattr(limit, name)
        for found in _models_at(model, loc[:-1])
        for field_name, field in found.model_fields.items()
        if loc and (field.alias or field_name) == loc[-1]
        for limit in field.metadata
        for name in ("ge", "gt", "le", "lt")
        if hasattr(limit, name)
    }


def _models_at(model: type[BaseModel], loc: Loc) -> set[type[BaseModel]]:
    """What the mapping at ``loc`` of a ``model`` may be."""
    annotations: list[Any] = [model]
    for step in loc:
        annotations = [found for annotation in annotations for found in _step(annotation, step)]
    return {found for annotation in annotations for found in _models(annotation)}


def _step(annotation: Any, step: str | int) -> list[Any]:
    """The annotations of what stands at ``step`` of something."""
    fields = [
        field.annotation
        for model in _models(annotation)
        for name, field in model.model_fields.items()
        if (field.alias or name) == step
    ]
    for container in _parts(annotation):
        if get_origin(container) in (tuple, dict, list):
            fields += [arg for arg in get_args(container) if arg is not Ellipsis][-1:]
    return fields


def _models(annotation: Any) -> list[type[BaseModel]]:
    return [p for p in _parts(annotation) if isinstance(p, type) and issubclass(p, BaseModel)]


def _parts(annotation: Any) -> Iterable[Any]:
    """The branches of a union, with annotations taken off."""
    if get_origin(annotation) in (Union, types.UnionType):
        for arg in get_args(annotation):
            yield from _parts(arg)
    elif hasattr(annotation, "__metadata__"):
        yield from _parts(get_args(annotation)[0])
    else:
        yield annotation
