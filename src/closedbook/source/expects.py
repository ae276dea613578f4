"""The grammar of ``expect``: text to :data:`closedbook.model.expect.Expectation`, flat."""

from __future__ import annotations

import ast
import math
import re
from typing import Any

from closedbook.model.expect import (
    WIDEST,
    Equals,
    Expectation,
    Formula,
    Gradcheck,
    Raises,
    Text,
    Warns,
)
from closedbook.model.origin import Loc
from closedbook.model.value import Number, Raw, Shape
from closedbook.problem import did_you_mean
from closedbook.source.quiet import quiet
from closedbook.source.values import Found, Mistake, parse_scalar

_VALUE = ("value", "rtol", "atol")
_TEXT = ("contains", "matches")
_FORMS = (*_TEXT, "formula", *_VALUE)
_RAISES = ("type", "contains", "matches")
_WARNS = ("category", "contains", "matches", "count")
_SAYS_NOTHING = "\ue000" * 4
_ANY = ("BaseException", "Exception", "Warning")
_CLASS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*")
_PYTHON_TUPLE = re.compile(r"\(.*\)", re.DOTALL)


def parse_expect(
    raw: dict[str, Raw], loc: Loc, found: Found
) -> tuple[dict[str, Expectation], dict[str, Loc]]:
    """The expectations by fact, and the place of each; a mapping of facts joins by dots."""
    expect: dict[str, Expectation] = {}
    locs: dict[str, Loc] = {}
    _facts(raw, loc, "", expect, locs, found)
    return expect, locs


def _facts(
    raw: dict[str, Any],
    loc: Loc,
    prefix: str,
    expect: dict[str, Expectation],
    locs: dict[str, Loc],
    found: Found,
) -> None:
    for name, value in raw.items():
        fact, at = prefix + name, (*loc, name)
        try:
            if not name:
                raise Mistake("a fact has a name", key=True)
            parsed = _one(fact, value)
        except Mistake as mistake:
            found.add(at, mistake)
            continue
        if parsed is None:
            _facts(value, at, f"{fact}.", expect, locs, found)
        elif fact in expect:
            found.add(at, Mistake(f"the fact {fact!r} is given twice", key=True))
        else:
            expect[fact] = parsed
            locs[fact] = at


def _one(fact: str, raw: Any) -> Expectation | None:
    """One expectation, or None for a group of facts. Raises Mistake."""
    special = _SPECIAL.get(fact)
    if special is not None:
        parsed = special(raw)
        if parsed is not None:
            return parsed
    if isinstance(raw, str):
        return Equals(_scalar(raw), raw)
    if isinstance(raw, list):
        return Equals(_listed(raw), _written(raw))
    if not isinstance(raw, dict):
        raise Mistake("expected text, a list or a mapping")
    if not raw:
        raise Mistake("nothing is expected of this fact")
    return _mapping(raw)


def _mapping(raw: dict[str, Any]) -> Expectation | None:
    names = set(raw)
    if "formula" in names:
        _only(raw, ("formula",), "a formula")
        return _formula(raw["formula"])
    if names & set(_TEXT):
        _only(raw, _TEXT, "an expected text")
        return Text(_text(raw, "contains"), _regex(raw))
    if "value" in names and all(
        name in _VALUE or did_you_mean(name, ("rtol", "atol")) for name in names
    ):
        _only(raw, _VALUE, "an expected value")
        return _tolerant(raw)
    if names <= {"rtol", "atol"}:
        raise Mistake("a tolerance without a 'value'")
    return None


def _only(raw: dict[str, Any], known: tuple[str, ...], what: str) -> None:
    for name in raw:
        if name not in known:
            raise Mistake(
                f"unknown field {name!r} in {what}{did_you_mean(name, known)}", name, key=True
            )


def _scalar(raw: str) -> Any:
    value = parse_scalar(raw)
    if isinstance(value, str) and _PYTHON_TUPLE.fullmatch(value):
        return _tuple(value)
    return value


def _tuple(text: str) -> Any:
    """``(True, False)`` and the like as a list; other text in brackets stays text."""
    try:
        with quiet():
            value = ast.literal_eval(text) if len(text) < 1000 else text
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text
    return _as_list(value) if isinstance(value, tuple) else text


def _as_list(value: Any) -> Any:
    if isinstance(value, tuple) and value and all(type(item) is int for item in value):
        return value
    return [_as_list(item) for item in value] if isinstance(value, tuple | list) else value


def _listed(raw: list[Any]) -> list[Any]:
    """A list: a tensor's values, or plain data in which a shape is a tuple. Raises Mistake."""
    out: list[Any] = []
    for index, item in enumerate(raw):
        try:
            if isinstance(item, list):
                out.append(_listed(item))
                continue
            if not isinstance(item, str):
                raise Mistake("expected a value, found a mapping")
            value = _scalar(item)
            if isinstance(value, Number):
                value = value.value
            out.append(value.sizes if isinstance(value, Shape) else value)
        except Mistake as mistake:
            raise mistake.below(index) from None
    return out


def _written(raw: Raw) -> str:
    """A list as its author could have written it in one line."""
    return f"[{', '.join(map(_written, raw))}]" if isinstance(raw, list) else str(raw)


def _tolerant(raw: dict[str, Any]) -> Equals:
    value = raw["value"]
    tolerances = {}
    try:
        if isinstance(value, dict) or value == "":
            raise Mistake("expected a number or a list of numbers")
        parsed = _listed(value) if isinstance(value, list) else _scalar(value)
        if not isinstance(parsed, Number | list) and len(raw) > 1:
            raise Mistake("a tolerance goes with a number, or with a list of numbers")
    except Mistake as mistake:
        raise mistake.below("value") from None
    for name in ("rtol", "atol"):
        if name in raw:
            tolerances[name] = _tolerance(raw[name], name)
    if tolerances:
        # Who states one tolerance means it: the other one is then 0.
        tolerances = {"rtol": 0.0, "atol": 0.0, **tolerances}
        _narrow(parsed, **tolerances)
    text = value if isinstance(value, str) else _written(value)
    return Equals(parsed, text, stated_tolerance=bool(tolerances), **tolerances)


def _narrow(value: Any, rtol: float, atol: float) -> None:
    """Raise Mistake where a number within its tolerance could be another one altogether."""
    for item in value if isinstance(value, list) else [value]:
        number = item.value if isinstance(item, Number) else item
        if isinstance(number, list):
            _narrow(number, rtol, atol)
        elif isinstance(number, int | float) and math.isfinite(number):
            size = abs(number) or 1
            if atol + rtol * abs(number) > size / WIDEST:
                raise Mistake(
                    f"within this tolerance {number} may be any number near it: "
                    f"at most {size / WIDEST:g}, a tenth, goes with it",
                    "atol" if atol else "rtol",
                )


def _tolerance(raw: Any, name: str) -> float:
    number = parse_scalar(raw) if isinstance(raw, str) and raw else None
    if not isinstance(number, Number) or not number.value >= 0:
        raise Mistake("a tolerance is a number from 0, such as 1e-6", name)
    return float(number.value)


def _formula(raw: Any) -> Formula:
    """The expression as text; what it may hold is known to the part that evaluates it."""
    if not isinstance(raw, str) or not raw.strip():
        raise Mistake('a formula is text, such as "grad_output.t().mm(input)"', "formula")
    try:
        with quiet():
            ast.parse(raw.strip(), mode="eval")
    except SyntaxError as error:
        raise Mistake(f"this formula is no expression of Python: {error.msg}", "formula") from None
    except (ValueError, RecursionError, MemoryError):
        raise Mistake("this formula is nested too deeply", "formula") from None
    return Formula(raw.strip())


def _text(raw: dict[str, Any], name: str) -> str | None:
    value = raw.get(name)
    if value is None:
        return None
    if not isinstance(value, str):
        raise Mistake("expected text", name)
    if not value:
        raise Mistake("this text is empty: any text would do", name)
    if value.isspace():
        raise Mistake("this text is blank: almost any text would do", name)
    if len(value.strip()) == 1 and value.strip().isalnum():
        raise Mistake("one character stands in almost any text: give more of it", name)
    return value


def _regex(raw: dict[str, Any]) -> str | None:
    pattern = _text(raw, "matches")
    if pattern is not None:
        try:
            with quiet():
                says_nothing = re.search(pattern, _SAYS_NOTHING) is not None
        except (re.error, RecursionError, OverflowError) as error:
            raise Mistake(f"this is no regular expression: {error}", "matches") from None
        if says_nothing:
            message = "this pattern fits any text: give it a part that only this one has"
            raise Mistake(message, "matches")
    return pattern


def _class(raw: dict[str, Any], name: str) -> str | None:
    value = _text(raw, name)
    if value is not None and not _CLASS.fullmatch(value):
        raise Mistake(f"expected the name of a class, such as RuntimeError, found {value!r}", name)
    return value


def _raises(raw: Any) -> Expectation | None:
    if raw == "None":
        return Equals(None, raw)
    if isinstance(raw, str) and _CLASS.fullmatch(raw):
        return _told(Raises(raw), "type")
    if not isinstance(raw, dict) or not raw:
        raise Mistake('write what is raised: {type: RuntimeError, contains: "…"}, or None')
    _only(raw, _RAISES, "'raises'")
    return _told(Raises(_class(raw, "type"), _text(raw, "contains"), _regex(raw)), "type")


def _warns(raw: Any) -> Expectation | None:
    if raw == "None":
        return Equals(None, raw)
    if isinstance(raw, str) and _CLASS.fullmatch(raw):
        return _told(Warns(raw), "category")
    if not isinstance(raw, dict) or not raw:
        raise Mistake('write the warning: {category: UserWarning, contains: "…"}, or None')
    _only(raw, _WARNS, "'warns'")
    count = None
    if "count" in raw:
        text = raw["count"]
        if not isinstance(text, str) or not re.fullmatch(r"[0-9]{1,9}", text):
            raise Mistake("a count is a whole number from 0", "count")
        count = int(text)
    warns = Warns(_class(raw, "category"), _text(raw, "contains"), _regex(raw), count)
    return warns if count is not None else _told(warns, "category")


def _told(want: Raises | Warns, field: str) -> Raises | Warns:
    """``want``, where not just any exception or warning would do. Raises Mistake."""
    name = want.type if isinstance(want, Raises) else want.category
    if name in _ANY and want.contains is None and want.matches is None:
        raise Mistake(f"any would do: {name} is what all of them are; name its own class", field)
    return want


def _gradcheck(raw: Any) -> Expectation | None:
    if raw == "passes":
        return Gradcheck(True)
    if raw == "fails":
        return Gradcheck(False)
    if raw in ("true", "false"):
        return Equals(raw == "true", raw)  # a fact of an experiment that happens to have this name
    if isinstance(raw, dict) and set(raw) == {"fails_at"}:
        at = raw["fails_at"]
        if not isinstance(at, dict) or not at:
            raise Mistake("write where: {output: 0, input: 2}, counted from 0", "fails_at")
        numbers = {}
        for name, text in at.items():
            if name not in ("output", "input"):
                near = did_you_mean(name, ("output", "input"))
                message = f"unknown field {name!r} in 'fails_at'{near}"
                raise Mistake(message, "fails_at", name, key=True)
            if not isinstance(text, str) or not re.fullmatch(r"[0-9]{1,9}", text):
                raise Mistake("a whole number, counted from 0", "fails_at", name)
            numbers[name] = int(text)
        return Gradcheck(False, **numbers)
    if isinstance(raw, dict) and not did_you_mean(next(iter(raw), ""), ("fails_at",)):
        return None  # facts of it: gradcheck: {message: {contains: …}}
    raise Mistake("write passes, fails, or {fails_at: {output: 0, input: 2}}")


_SPECIAL = {
    "raises": _raises,
    "warns": _warns,
    "gradcheck": _gradcheck,
    "gradgradcheck": _gradcheck,
}
