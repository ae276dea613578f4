"""What pydantic found, in an author's words, at the author's token."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from closedbook.model.kinds import KINDS
from closedbook.model.origin import Loc, Origin
from closedbook.problem import Problem, did_you_mean
from closedbook.source.fields import fields_at, inside, limits_at
from closedbook.source.wording import expectation, nearest, shown

MERGE = "a card file has no merge keys (<<): write the fields out"


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
        key = detail["type"] in ("extra_forbidden", "at_field")
        key = key or detail["loc"][-1:] == ("[key]",)
        if detail["type"] == "at_field":
            loc = (*loc, detail["ctx"]["field"])
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
    if len(loc) == 1 and _elsewhere(str(loc[0]), model):
        return None
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
    # A list fits no branch: that of the scalar speaks for all of them.
    return not scalar if isinstance(node, dict) else scalar


def _message(
    detail: ErrorDetails, loc: Loc, missing: bool, model: type[BaseModel], subject: str
) -> str:
    kind = detail["type"]
    context = detail.get("ctx", {})
    last = str(loc[-1]) if loc else ""
    owner = _owner(loc[:-1], subject)
    if missing:
        return f"{owner} has no {last!r}"
    if kind == "extra_forbidden" and last == "<<":
        return MERGE
    if kind == "extra_forbidden":
        hint = _elsewhere(last, model) if len(loc) == 1 else ""
        hint = hint or did_you_mean(last, fields_at(model, loc[:-1]))
        return f"unknown field {last!r} in {owner}{hint}"
    if kind == "at_field":
        return str(context["message"])
    if kind in ("value_error", "assertion_error"):
        return str(context.get("error", detail["msg"]))
    found = detail["input"]
    if found == "":
        return f"{_field(loc, subject)} is empty"
    expected = expectation(kind, {**limits_at(model, loc), **context})
    if expected is None:
        return f"{_field(loc, subject)}: {detail['msg'].lower()}"
    near = nearest(found, context) if kind == "literal_error" else ""
    return f"expected {expected}, found {shown(found)}{near}"


def _elsewhere(name: str, model: type[BaseModel]) -> str:
    """Which kinds of cards have this field, where it is right but for another kind."""
    if model not in KINDS.values():
        return ""
    owners = [kind for kind, other in KINDS.items() if name in other.model_fields]
    return f" (it belongs to: {', '.join(owners)})" if owners else ""


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
    return {"syllabus": "syllabus item"}.get(name, name.removesuffix("s"))
