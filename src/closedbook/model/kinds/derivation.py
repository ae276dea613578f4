"""``derivation``: steps that lead to a result, each checked."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from closedbook.model.kinds.base import Check, Claim, Kind, Points, Slug, Strict, Text, Truth


class Step(Strict):
    """One step: a question, its answer with the check, and why.

    ``id`` keeps a step's own card (see ``each_step``) when steps are put in before it; without
    one its number is its name.
    """

    id: Slug | None = None
    ask: Text
    answer: Text
    why: Text | None = None
    check: Check | None = None
    expect: dict[str, Any] | None = None
    unchecked: Text | None = None
    quote: Text | None = None
    points: Points | None = None


class Derivation(Kind):
    """A derivation. ``each_step: true`` gives the deck one card a step beside the whole."""

    kind: Literal["derivation"]
    ask: Text
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    result: Claim | Text | None = None
    each_step: Truth = False
