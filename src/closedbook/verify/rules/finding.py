"""What a rule has to say of a drawn card."""

from __future__ import annotations

from dataclasses import dataclass

from closedbook.model.origin import Loc


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found in one draw: where in the card, and what. ``rule`` tells findings apart."""

    rule: str
    loc: Loc
    message: str
    offset: int | None = None
