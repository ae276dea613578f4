"""``trap``: code that looks right, what is observed, why, and the mended code."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from closedbook.model.kinds.base import Check, Claim, Code, Kind, Points, Strict, Text


class Fix(Strict):
    """The right code, and the check that it is right."""

    code: Code
    say: Text | None = None
    check: Check | None = None
    expect: dict[str, Any] | None = None
    points: Points | None = None


class Trap(Kind):
    """Code that looks right and is not."""

    kind: Literal["trap"]
    code: Code
    ask: Text
    claims: Annotated[tuple[Claim, ...], Field(min_length=1)]
    fix: Fix
