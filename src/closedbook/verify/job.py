"""What goes to a worker and what comes back: jobs, outcomes, and facts as JSON.

This module is the seam between planning (which never imports torch) and running.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from closedbook.model.claim import DEFAULT_TIMEOUT
from closedbook.model.expect import Expectation
from closedbook.model.value import Value
from closedbook.problem import Place
from closedbook.verify.verified import Fact

JobKind = Literal["check", "reference", "flawed"]
MismatchKind = Literal["differs", "unknown", "unusable", "unquotable"]

SLACK = 5.0
"""Seconds beyond a job's time limit before its process is ended from outside."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What every job of a bank shares.

    ``paths`` maps each generator's name to its file, relative to ``root`` (names that are not in
    it do not exist for a job). ``version`` identifies the sources: a worker that holds another
    version loads them anew. ``own_process`` says that the process serves jobs alone, so that a
    job which hangs beyond Python's reach may end it.
    """

    root: Path
    paths: Mapping[str, str]
    version: str = ""
    own_process: bool = False
    alone: bool = False


# To make one that is frozen takes three times as long, and each check makes both.
@dataclass(slots=True)
class Job:
    """One check. ``key`` is the caller's and comes back in the outcome.

    Kind ``reference`` and ``flawed`` are the checks of a marked definition itself: ``run`` names
    it, and ``arguments`` and ``expect`` stay empty. ``timeout`` is in seconds.
    """

    key: str
    run: str
    arguments: Mapping[str, Value] = field(default_factory=dict)
    expect: Mapping[str, Expectation] = field(default_factory=dict)
    quote: str | None = None
    timeout: float = DEFAULT_TIMEOUT
    kind: JobKind = "check"


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One expectation that did not hold, both sides in words.

    Where ``kind`` says that it could not be looked into, ``observed`` says why: the run has no
    such fact (``unknown``), it is no text (``unquotable``), or its formula says nothing
    (``unusable``). ``column`` counts, from 0, to what is wrong within the formula's text.
    """

    fact: str
    expected: str
    observed: str
    kind: MismatchKind = "differs"
    column: int | None = None


@dataclass(slots=True)
class Outcome:
    """What a job found.

    ``facts`` holds the observed value of each expected fact that there was. ``error`` is set
    where the run itself failed (an exception that nothing expected, a time limit, a generator
    that cannot be loaded): the first line says what, further lines are the bank's own frames;
    ``place`` is the innermost of these. ``argument`` names the one in ``with`` that the run could
    not take; ``broken`` says that the fault is the generator's own, whatever the check says.
    ``holds`` is False with an error or a mismatch.
    """

    key: str
    holds: bool
    facts: Mapping[str, Fact] = field(default_factory=dict)
    mismatches: tuple[Mismatch, ...] = ()
    error: str | None = None
    quote: str | None = None
    seconds: float = 0.0
    place: Place | None = None
    argument: str | None = None
    broken: bool = False


def encode(fact: Fact) -> Any:
    """Write a fact as JSON without loss: tuples, mappings, NaN and infinities are told apart."""
    if isinstance(fact, str):
        return fact
    if isinstance(fact, float) and not math.isfinite(fact):
        return {"float": str(fact)}
    if isinstance(fact, tuple):
        return {"tuple": list(fact)}  # only shapes are tuples
    if isinstance(fact, list):
        return [encode(item) for item in fact]
    if isinstance(fact, Mapping):
        return {"map": {key: encode(value) for key, value in fact.items()}}
    return fact


def decode(data: Any) -> Fact:
    """Read what :func:`encode` wrote. Raises ValueError where ``data`` is not its work."""
    if isinstance(data, list):
        return [decode(item) for item in data]
    if isinstance(data, dict):
        return _decode_tagged(data)
    if data is None or isinstance(data, bool | int | float | str):
        return data
    raise ValueError(f"not a fact: {type(data).__name__}")


def _decode_tagged(data: dict[str, Any]) -> Fact:
    if len(data) == 1:
        ((tag, inner),) = data.items()
        if tag == "float" and inner in ("nan", "inf", "-inf"):
            return float(inner)
        if tag == "tuple" and isinstance(inner, list):
            return tuple(decode(item) for item in inner)  # type: ignore[misc]  # only shapes are written as tuples
        if tag == "map" and isinstance(inner, dict):
            return {str(key): decode(value) for key, value in inner.items()}
    raise ValueError("not a fact: an unknown mapping")


def encode_outcome(outcome: Outcome) -> dict[str, Any]:
    """Write an outcome as JSON, without its ``key``."""
    place = outcome.place
    return {
        "holds": outcome.holds,
        "facts": {name: encode(fact) for name, fact in outcome.facts.items()},
        "mismatches": [list(astuple(mismatch)) for mismatch in outcome.mismatches],
        "error": outcome.error,
        "quote": outcome.quote,
        "seconds": outcome.seconds,
        "place": [place.path, place.line, place.column] if place else None,
        "argument": outcome.argument,
        "broken": outcome.broken,
    }


def decode_outcome(key: str, data: Any) -> Outcome:
    """Read what :func:`encode_outcome` wrote. Raises ValueError on anything else."""
    try:
        return Outcome(
            key=key,
            holds=_exactly(bool, data["holds"]),
            facts={str(name): decode(fact) for name, fact in data["facts"].items()},
            mismatches=tuple(map(_mismatch, data["mismatches"])),
            error=_text(data["error"]),
            quote=_text(data["quote"]),
            seconds=float(data["seconds"]),
            place=Place(*data["place"]) if data["place"] else None,
            argument=_text(data["argument"]),
            broken=_exactly(bool, data["broken"]),
        )
    except (KeyError, TypeError, AttributeError) as damage:
        raise ValueError(f"not an outcome: {damage}") from damage


def _mismatch(data: Any) -> Mismatch:
    if len(data) != len(fields(Mismatch)):
        raise ValueError(f"not a mismatch: {data!r}")
    fact, expected, observed, kind, column = data
    if kind not in get_args(MismatchKind):
        raise ValueError(f"not a mismatch: {data!r}")
    column = None if column is None else _exactly(int, column)
    return Mismatch(str(fact), str(expected), str(observed), kind, column)


def _text(value: Any) -> str | None:
    return None if value is None else str(_exactly(str, value))


def _exactly(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise ValueError(f"not an outcome: {value!r} where a {kind.__name__} belongs")
    return value
