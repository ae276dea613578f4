"""What pydantic found, in an author's words, at the author's token."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from closedbook.model.origin import Loc, Origin
from closedbook.problem import Problem, did_you_mean

_FOUND = {str: "a text", list: "a list", dict: "a mapping", tuple: "a list"}
_SHAPES = {
    "slug": "lower-case letters, digits and hyphens, such as linear-grad-shapes",
    "name": "a name of Python, such as LinearFunction",
    "tag": "a tag without spaces, with :: between its levels",
    "file": "the name of a Python file, such as linear.py",
    "lines": "first and last line, such as 2..5",
}
_PATTERNS = {
    r"^[a-z0-9]+(-[a-z0-9]+)*$": _SHAPES["slug"],
    r"^[^\s:]+(::[^\s:]+)*$": _SHAPES["tag"],
    r"^[A-Za-z_][A-Za-z0-9_]*$": _SHAPES["name"],
    r"^[A-Za-z_][A-Za-z0-9_]*\.py$": _SHAPES["file"],
    r"^\d+\.\.\d+$": _SHAPES["lines"],
}


def problems_of(
    error: ValidationError, data: Any, model: type[BaseModel], origin: Origin, subject: str
) -> list[Problem]:
    """The problems of a validation, each at its token, without follow-ups.

    ``subject`` names the whole: ``question 'linear-grad-shapes'``.
    """
    card = data.get("id") if isinstance(data, dict) and "kind" in data else None
    name = card if isinstance(card, str) else None
    problems: dict[tuple[Loc, str], Problem] = {}
    for detail in error.errors(include_url=False, include_input=True):
        found = _placed(detail, data)
        if found is None:
            continue
        loc, missing = found
        message = _message(detail, loc, missing, data, model, subject)
        key = detail["type"] == "extra_forbidden" or detail["loc"][-1:] == ("[key]",)
        where = loc if not missing else loc[:-1]
        problem = origin.problem(where, message, key=key, card=name)
        problems.setdefault((where, message if missing else ""), problem)
    return list(problems.values())


def _placed(detail: ErrorDetails, data: Any) -> tuple[Loc, bool] | None:
    """The way to the mistake through the data, and whether the last step is missing there.

    pydantic names the branches of a union in its ways; they are no steps of the data. The errors
    of a branch that the data does not try to be (a mapping's, for a text) say nothing: None.
    """
    loc: list[str | int] = []
    node = data
    steps = [step for step in detail["loc"] if step != "[key]"]
    for number, step in enumerate(steps):
        if (isinstance(node, dict) and step in node) or (isinstance(node, list) and isinstance(step, int) and step < len(node)):
            node = node[step]
        elif number == len(steps) - 1 and detail["type"] == "missing":
            return (*loc, step), True
        elif isinstance(node, str) and step == 0:
            continue  # one text that stands for a list of one
        elif not _tries(str(step), node):
            return None
        else:
            continue
        loc.append(step)
    return tuple(loc), False


def _tries(branch: str, node: Any) -> bool:
    """Whether a value can be meant as this branch of a union."""
    scalar = "str" in branch or "int" in branch or "float" in branch
    if isinstance(node, dict):
        return not scalar
    if isinstance(node, str):
        return scalar
    return scalar  # a list fits neither: one branch speaks for both


def _message(
    detail: ErrorDetails, loc: Loc, missing: bool, data: Any, model: type[BaseModel], subject: str
) -> str:
    kind = detail["type"]
    context = detail.get("ctx", {})
    last = str(loc[-1]) if loc else ""
    owner = _owner(loc[:-1], subject)
    if missing:
        return f"{_owner(loc[:-1], subject)} has no {last!r}"
    if kind == "extra_forbidden":
        known = fields_at(model, loc[:-1], data)
        return f"unknown field {last!r} in {owner}{did_you_mean(last, known)}"
    if kind in ("value_error", "assertion_error"):
        return str(context.get("error", detail["msg"]))
    found = detail["input"]
    if found == "" and kind != "extra_forbidden":
        return f"{_field(loc, subject)} is empty"
    expected = _expected(kind, context)
    if expected is None:
        return f"{_field(loc, subject)}: {detail['msg'].lower()}"
    if kind in ("literal_error",):
        return f"expected {expected}, found {shown(found)}{_near(found, context)}"
    return f"expected {expected}, found {shown(found)}"


def _near(found: Any, context: Mapping[str, Any]) -> str:
    choices = [word.strip("'") for word in _words(str(context.get("expected", "")))]
    return did_you_mean(found, choices) if isinstance(found, str) else ""


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.replace(" or ", ", ").split(",") if word.strip()]


def _expected(kind: str, context: Mapping[str, Any]) -> str | None:
    """What was expected, or None where pydantic's own words have to do."""
    fixed = {
        "string_type": "text",
        "dict_type": "a mapping",
        "model_type": "a mapping",
        "model_attributes_type": "a mapping",
        "tuple_type": "a list",
        "list_type": "a list",
        "int_parsing": "a whole number",
        "int_type": "a whole number",
        "int_from_float": "a whole number",
        "int_parsing_size": "a whole number of a size that makes sense",
        "float_parsing": "a number",
        "float_type": "a number",
        "bool_type": "true or false",
        "bool_parsing": "true or false",
        "date_from_datetime_parsing": "a date such as 2026-09-01",
        "date_parsing": "a date such as 2026-09-01",
        "date_type": "a date such as 2026-09-01",
        "string_too_short": "text",
        "finite_number": "a finite number",
    }
    if kind in fixed:
        return fixed[kind]
    if kind == "string_pattern_mismatch":
        return _PATTERNS.get(context["pattern"], f"text like {context['pattern']}")
    if kind == "literal_error":
        return str(context["expected"])
    bounds = {
        "greater_than_equal": ("ge", "or more"),
        "less_than_equal": ("le", "or less"),
    }
    if kind in bounds:
        name, words = bounds[kind]
        return f"{context[name]} {words}"
    if kind == "greater_than":
        return f"more than {context['gt']}"
    if kind in ("too_short", "string_too_short"):
        return "at least one entry"
    return None


def shown(value: Any) -> str:
    """A value in a message: a short text as it is, the rest by what it is."""
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:57] + "…")
    if isinstance(value, list | tuple | dict) and not value:
        return "an empty mapping" if isinstance(value, dict) else "an empty list"
    return _FOUND.get(type(value), type(value).__name__)


def _field(loc: Loc, subject: str) -> str:
    names = [step for step in loc if isinstance(step, str)]
    return repr(names[-1]) if names else subject


def _owner(loc: Loc, subject: str) -> str:
    """The mapping that a field stands in: ``step 2 of derivation 'linear-backward'``."""
    words = [
        f"{_singular(a)} {b + 1}"
        for a, b in zip(loc, loc[1:], strict=False)
        if isinstance(b, int) and isinstance(a, str)
    ]
    if loc and isinstance(loc[-1], str):
        words.append(repr(loc[-1]))
    return " of ".join([*reversed(words), subject])


def _singular(name: str) -> str:
    return name.removesuffix("s")


def fields_at(model: type[BaseModel], loc: Loc, data: Any) -> list[str]:
    """The names of the fields that the mapping at ``loc`` may have."""
    models: set[type[BaseModel]] = {model}
    annotations: list[Any] = [model]
    node = data
    for step in loc:
        node = node[step] if isinstance(node, dict | list) else None
        following: list[Any] = []
        for annotation in annotations:
            following += _step(annotation, step)
        annotations = following
    models = {m for annotation in annotations for m in _models(annotation)}
    return sorted(name for m in models for name in names_of(m))


def names_of(model: type[BaseModel]) -> list[str]:
    """The names of a model's fields as they are written."""
    return [field.alias or name for name, field in model.model_fields.items()]


def _step(annotation: Any, step: str | int) -> list[Any]:
    """The annotations of what stands at ``step`` of something."""
    out: list[Any] = []
    for model in _models(annotation):
        for name, field in model.model_fields.items():
            if (field.alias or name) == step:
                out.append(field.annotation)
    for part in _containers(annotation):
        args = [arg for arg in get_args(part) if arg is not Ellipsis]
        out += args[-1:]
    return out


def _flatten(annotation: Any) -> Iterable[Any]:
    import types

    origin = get_origin(annotation)
    if origin in (Union, types.UnionType):
        for arg in get_args(annotation):
            yield from _flatten(arg)
    elif hasattr(annotation, "__metadata__"):
        yield from _flatten(get_args(annotation)[0])
    else:
        yield annotation


def _models(annotation: Any) -> list[type[BaseModel]]:
    return [a for a in _flatten(annotation) if isinstance(a, type) and issubclass(a, BaseModel)]


def _containers(annotation: Any) -> list[Any]:
    return [a for a in _flatten(annotation) if get_origin(a) in (tuple, dict, list)]
