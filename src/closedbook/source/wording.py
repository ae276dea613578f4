"""What pydantic expected and found, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from closedbook.model.kinds.base import SLUG
from closedbook.problem import did_you_mean

_KINDS = {
    "string_type": "text",
    "string_too_short": "text",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "tuple_type": "a list",
    "list_type": "a list",
    "too_short": "at least one entry",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "int_parsing_size": "a smaller whole number",
    "float_parsing": "a number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "date_from_datetime_parsing": "a date such as 2026-09-01",
    "date_parsing": "a date such as 2026-09-01",
    "date_type": "a date such as 2026-09-01",
}
_PATTERNS = {
    SLUG: ("lower-case letters, digits and single hyphens, such as linear-grad-shapes"),
    r"^[^\s:]+(::[^\s:]+)*$": "a tag without spaces, with :: between its levels",
    r"^[A-Za-z_][A-Za-z0-9_]*$": "a name of Python, such as LinearFunction",
    r"^[A-Za-z_][A-Za-z0-9_]*\.py$": "the name of a Python file, such as linear.py",
    r"^\d+\.\.\d+$": "first and last line, such as 2..5",
}
_FOUND: dict[type, str] = {str: "a text", list: "a list", tuple: "a list", dict: "a mapping"}


def expectation(kind: str, context: Mapping[str, Any]) -> str | None:
    """What was expected, by the kind of error; None where pydantic's own words have to do.

    ``context`` holds what the error says of it, and all limits of a number.
    """
    match kind:
        case "greater_than_equal" | "less_than_equal" if {"ge", "le"} <= context.keys():
            return f"{context['ge']} to {context['le']}"
        case "string_pattern_mismatch":
            return _PATTERNS.get(context["pattern"], f"text like {context['pattern']}")
        case "literal_error":
            return str(context["expected"])
        case "greater_than_equal":
            return f"{context['ge']} or more"
        case "less_than_equal":
            return f"{context['le']} or less"
        case "greater_than":
            return f"more than {context['gt']}"
    return _KINDS.get(kind)


def nearest(found: Any, context: Mapping[str, Any]) -> str:
    """Which of the words that could stand there is near the one that does."""
    words = str(context.get("expected", "")).replace(" or ", ", ").split(", ")
    return did_you_mean(found, (w.strip("'") for w in words)) if isinstance(found, str) else ""


def shown(value: Any) -> str:
    """A value in a message: a short text as it is, the rest by what it is."""
    if isinstance(value, str):
        return repr(value if len(value) <= 60 else value[:57] + "…")
    if isinstance(value, list | tuple | dict) and not value:
        return "an empty mapping" if isinstance(value, dict) else "an empty list"
    return _FOUND.get(type(value), type(value).__name__)
