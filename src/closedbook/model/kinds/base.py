"""What every kind of card shares, and the pieces that kinds are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    StringConstraints,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, PydanticCustomError

from closedbook.model.claim import Role
from closedbook.model.origin import Loc

POINTS = r"[0-9]{1,6}(\.[0-9]{1,6}|/0*[1-9][0-9]{0,5})?"
"""How points are written."""

_NO_REASONS = {"yes", "no", "true", "false", "on", "off", "y", "n", "none", "null", "todo", "tbd"}
_POINTS_SCHEMA = {"type": ["number", "string"], "pattern": f"^{POINTS}$"}


class OneOrMany(BeforeValidator):
    """One text stands for a list of one; the JSON Schema says so too."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The schema of an item, or of the list."""
        many = handler(schema)
        return {"anyOf": [many["items"], many]}


class OrPoints(BeforeValidator):
    """Points alone stand for a mapping that has them; the JSON Schema says so too."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """The schema of points, or of the mapping."""
        return {"anyOf": [_POINTS_SCHEMA, handler(schema)]}


def at(field: str, message: str) -> PydanticCustomError:
    """The error of a whole mapping that is to be told at one of its fields."""
    return PydanticCustomError("at_field", "{message}", {"message": message, "field": field})


class Strict(BaseModel):
    """A mapping of YAML: unknown fields are errors, values do not change once read."""

    model_config = ConfigDict(extra="forbid", frozen=True, arbitrary_types_allowed=True)


def _several(value: Any) -> Any:
    """One text stands for a list of one."""
    return (value,) if isinstance(value, str) else value


def _truth(value: Any) -> Any:
    """Only ``true`` and ``false``: YAML 1.1's ``yes`` and ``on`` stay text."""
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value


def _points(value: Any) -> Any:
    """``3``, ``1/2`` or ``2.5`` as an exact fraction."""
    if isinstance(value, Fraction):
        return value
    if not isinstance(value, str) or not re.fullmatch(POINTS, value.strip()):
        found = f", not {value!r}" if isinstance(value, str) else ""
        raise ValueError(f"points are a number such as 3, 2.5 or 1/2{found}")
    points = Fraction(value.strip())
    if points <= 0:
        raise ValueError("points are more than 0")
    return points


def _reason(value: str) -> str:
    """A word that only switches something on or off is no reason."""
    word = value.strip().casefold()
    if word in _NO_REASONS or not any(map(str.isalpha, word)):
        raise ValueError(f"'unchecked' says in words why no program can show it, not {value!r}")
    return value


Text = Annotated[str, StringConstraints(min_length=1)]
"""Markdown as the author wrote it."""

Reason = Annotated[Text, AfterValidator(_reason)]
"""Why a statement has no check."""

SLUG = r"^[a-z0-9]+(-[a-z0-9]+)*$"

Slug = Annotated[str, StringConstraints(pattern=SLUG)]
"""A permanent name: ``linear-grad-shapes``."""

Tag = Annotated[str, StringConstraints(pattern=r"^[^\s:]+(::[^\s:]+)*$")]
"""An Anki tag: no spaces, ``::`` between its levels."""

Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
"""A name of Python: a reference, a flawed Function, an experiment."""

Difficulty = Annotated[int, Field(ge=1, le=5)]
Truth = Annotated[bool, BeforeValidator(_truth), Field(strict=True)]
Points = Annotated[
    Fraction,
    BeforeValidator(_points),
    WithJsonSchema(_POINTS_SCHEMA),
]
Several = OneOrMany(_several)
Slugs = Annotated[tuple[Slug, ...], Several]


class WrittenCheck(Strict):
    """A check as written. What is missing comes from the card's own check."""

    model_config = ConfigDict(title="Check")

    run: Name | None = None
    arguments: dict[str, Any] | None = Field(default=None, alias="with")
    expect: dict[str, Any] | None = None
    timeout: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class WrittenClaim(Strict):
    """``say``, and the check that shows it; ``expect`` alone uses the card's own check."""

    model_config = ConfigDict(title="Claim")

    say: Text
    check: WrittenCheck | None = None
    expect: dict[str, Any] | None = None
    unchecked: Reason | None = None
    quote: Text | None = None
    versions: Text | None = None
    points: Points | None = None


class CodeOf(Strict):
    """The source of a definition in ``generators/``.

    ``lines`` (``2..5``, counted from the printed definition's first line as 1) or ``part`` (the
    text between ``# part: NAME`` and ``# end: NAME``) shows a piece of it.
    """

    of: Name
    lines: Annotated[str, StringConstraints(pattern=r"^\d+\.\.\d+$")] | None = None
    part: Text | None = None


Code = Text | CodeOf


class SourceAt(Strict):
    """A resource of the unit, and where in it."""

    id: Slug
    at: Text


Side = Literal["ask", "answer"]
"""Which side of a card a text stands on."""

Written = tuple[Loc, str, Side]
"""A Markdown text, its place in the card and its side."""


@dataclass(frozen=True, slots=True)
class Statement:
    """A claim as written, before ``run`` and ``with`` are inherited.

    ``of_card`` says that it is shown by the card's own check, expectations and all.
    """

    role: Role
    say: str
    loc: Loc
    say_loc: Loc
    check: WrittenCheck | None = None
    expect: dict[str, Any] | None = None
    unchecked: str | None = None
    quote: str | None = None
    versions: str | None = None
    of_card: bool = False

    @classmethod
    def of_claim(cls, claim: WrittenClaim, loc: Loc, role: Role = "claim") -> Statement:
        """The statement of a ``say`` and its check."""
        return cls(
            role,
            claim.say,
            loc,
            (*loc, "say"),
            claim.check,
            claim.expect,
            claim.unchecked,
            claim.quote,
            claim.versions,
        )


class Kind(Strict):
    """The fields that stand on every card."""

    id: Slug
    outcome: Slugs
    difficulty: Difficulty = 2
    tags: Annotated[tuple[Tag, ...], Several] = ()
    check: WrittenCheck | None = None
    code: Code | None = None
    why: Text | None = None
    hint: Text | None = None
    source: Slug | SourceAt | None = None
    was: Slugs = ()
    retired: Truth = False
    vary: dict[Name, Any] | None = None
    where: Text | None = None
    deck_variants: Annotated[int, Field(ge=1, le=100)] = 1
    space: Text | None = None

    def texts(self) -> Iterator[Written]:
        """Every Markdown text of the card, in the order in which it is printed.

        A kind adds its own before these. Options stand on the asking side, right and wrong; so
        does a cloze text, gaps and all.
        """
        if self.hint is not None:
            yield ("hint",), self.hint, "ask"
        if self.why is not None:
            yield ("why",), self.why, "answer"

    def statements(self) -> Iterator[Statement]:
        """What the answer side states, in the order in which it is printed."""
        yield from ()

    @staticmethod
    def _texts_of_claims(claims: tuple[WrittenClaim, ...]) -> Iterator[Written]:
        for index, claim in enumerate(claims):
            yield ("claims", index, "say"), claim.say, "answer"

    @staticmethod
    def _statements_of_claims(claims: tuple[WrittenClaim, ...]) -> Iterator[Statement]:
        for index, claim in enumerate(claims):
            yield Statement.of_claim(claim, ("claims", index))
