"""What pydantic found, in an author's words, at the author's token."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from closedbook.model.origin import Loc, Origin
from closedbook.problem import Problem, did_you_mean
from closedbook.source.fields import fields_at, inside

_FOUND: dict[type, str] = {str: "a text", list: "a list", dict: "a mapping", tuple: "a list"}
MERGE = "a card file has no merge keys (<<): write the fields out"
_PATTERNS = {
    r"^[a-z0-9]+(-[a-z0-9]+)*$": (
        "lower-case letters, digits and single hyphens, such as linear-grad-shapes"
    ),
    r"^[^\s:]+(::[^\s:]+)*$": "a tag without spaces, with :: between its levels",
    r"^[A-Za-z_][A-Za-z0-9_]*$": "a name of Python, such as LinearFunction",
    r"^[A-Za-z_][A-Za-z0-9_]*\.py$": "the name of a Python file, such as linear.py",
    r"^\d+\.\.\d+$": "first and last line, such as 2..5",
}


def problems_of(
    error: ValidationError, data: Any, model: type[BaseModel], origin: Origin, subject: str
) -> list[Problem]:
    """The problems of a validation, each at its token, without follow-ups.

    ``subject`` names the whole: ``question 'linear-grad-shapes'``.
    """
    card = data.get("id") if isinstance(data, dict) and "kind" in data else None
    name = card if isinstance(card, str) else None
    details = error.errors(include_url=False, include_input=True)
    found = [(detail, placed) for detail in details if (placed := _placed(detail, data))]
    meant = {
        (*loc[:-1], near)
        for detail, (loc, _) in found
        if detail["type"] == "extra_forbidden" and (near := _meant(loc, model))
    }
    problems: dict[tuple[Loc, str], Problem] = {}
    for detail, (loc, missing) in found:
        if missing and loc in meant:
            continue  # it is there under a name that is told to be misspelt
        if detail["type"] == "too_short" and _filled(data, loc):
            continue  # it is short of the entries that are told to be wrong
        message = _message(detail, loc, missing, model, subject)
        key = detail["type"] == "extra_forbidden" or detail["loc"][-1:] == ("[key]",)
        where = loc[:-1] if missing else loc
        problem = origin.problem(where, message, key=key, card=name)
        # The branches of a union speak of one mistake: the first of them is enough.
        problems.setdefault((where, message if missing else ""), problem)
    return list(problems.values())


def _filled(data: Any, loc: Loc) -> bool:
    """Whether there is anything in the list or mapping at ``loc``."""
    for step in loc:
        data = inside(data, step)
    return bool(data)


def _meant(loc: Loc, model: type[BaseModel]) -> str | None:
    """The field that a misspelt one stands for."""
    near = did_you_mean(str(loc[-1]), fields_at(model, loc[:-1]))
    return near.split("'")[1] if near else None


def _placed(detail: ErrorDetails, data: Any) -> tuple[Loc, bool] | None:
    """The way to the mistake through the data, and whether the last step is missing there.

    pydantic names the branches of a union in its ways; they are no steps of the data. The errors
    of a branch that the data does not try to be (a mapping's, for a text) say nothing: None.
    """
    loc: list[str | int] = []
    node = data
    steps = [step for step in detail["loc"] if step != "[key]"]
    for number, step in enumerate(steps):
        below = inside(node, step)
        if below is not None:
            node = below
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
    detail: ErrorDetails, loc: Loc, missing: bool, model: type[BaseModel], subject: str
) -> str:
    kind = detail["type"]
    context = detail.get("ctx", {})
    last = str(loc[-1]) if loc else ""
    owner = _owner(loc[:-1], subject)
    if missing:
        return f"{_owner(loc[:-1], subject)} has no {last!r}"
    if kind == "extra_forbidden" and last == "<<":
        return MERGE
    if kind == "extra_forbidden":
        known = fields_at(model, loc[:-1])
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
        "int_parsing_size": "a smaller whole number",
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
        for a, b in pairwise(loc)
        if isinstance(b, int) and isinstance(a, str)
    ]
    if loc and isinstance(loc[-1], str):
        words.append(repr(loc[-1]))
    return " of ".join([*reversed(words), subject])


def _singular(name: str) -> str:
    return name.removesuffix("s")
