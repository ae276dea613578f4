"""What ``exams/*.yaml`` says: which cards, how many variants, points, minutes."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from closedbook.model.kinds import KindName
from closedbook.model.kinds.base import (
    Points,
    Several,
    Slug,
    Slugs,
    Strict,
    Tag,
    Text,
    Truth,
    at,
)


def _span(value: Any) -> Any:
    """``2`` or ``1..3`` as the pair of its ends."""
    match = re.fullmatch(r"(\d)(?:\.\.(\d))?", value) if isinstance(value, str) else None
    if match is None:
        raise ValueError("a difficulty is a number from 1 to 5, or a range such as 1..3")
    low, high = int(match[1]), int(match[2] or match[1])
    if not 1 <= low <= high <= 5:
        raise ValueError("a difficulty is a number from 1 to 5, or a range such as 1..3")
    return (low, high)


class Pool(Strict):
    """Which cards a section draws from: each given field must fit."""

    outcome: Slugs = ()
    kind: Annotated[tuple[KindName, ...], Several] = ()
    difficulty: Annotated[
        tuple[int, int],
        BeforeValidator(_span),
        WithJsonSchema({"type": ["integer", "string"], "pattern": r"^[1-5](\.\.[1-5])?$"}),
    ] = (1, 5)
    tags: Annotated[tuple[Tag, ...], Several] = ()
    unit: Slugs = ()


class Section(Strict):
    """One part of the paper: ``pick`` cards ``from`` a pool, or fixed ``cards``, or both.

    ``points`` is what each card is worth; ``points_of`` overrides it for a card.
    """

    title: Text
    intro: Text | None = None
    pick: Annotated[int, Field(ge=1)] | None = None
    pool: Pool | None = Field(default=None, alias="from")
    cards: tuple[Slug, ...] = ()
    points: Points
    points_of: dict[Slug, Points] = {}
    shuffle: Literal["questions", "options", "both", "none"] | None = None
    minutes: Annotated[int, Field(ge=1)] | None = None

    @model_validator(mode="after")
    def _draws_something(self) -> Self:
        if (self.pick is None) != (self.pool is None):
            given = "from" if self.pick is None else "pick"
            raise at(given, "'pick' says how many and 'from' says of what: give both")
        if self.pick is None and not self.cards:
            raise ValueError("this section is empty: give 'cards', or 'pick' and 'from'")
        return self


class BlueprintInfo(Strict):
    """A blueprint, as written."""

    title: Text
    minutes: Annotated[int, Field(ge=1)]
    variants: Annotated[int, Field(ge=1, le=10000)] = 1
    seed: int = 0
    paper: Literal["a4", "us-letter"] = "a4"
    rules: Text | None = None
    shuffle: Literal["questions", "options", "both", "none"] = "both"
    same_cards: Truth = True
    sections: Annotated[tuple[Section, ...], Field(min_length=1)]
