"""What a rule has to say of a drawn card."""

from __future__ import annotations

from dataclasses import dataclass

from closedbook.model.origin import Loc

_LONGEST = 60


def quoted(text: str) -> str:
    """What a message repeats of a card: on one line, as it is written, cut where it is long."""
    line = " ".join(text.split())
    return f"'{line}'" if len(line) <= _LONGEST else f"'{line[:_LONGEST]}…'"


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule found in one draw: where in the drawn card, and what.

    ``offset`` counts characters into the text at ``loc``. ``token`` is what is wrong there, where
    that is a piece of the text: said of it once, it need not be said again of a second one.
    """

    rule: str
    loc: Loc
    message: str
    offset: int | None = None
    token: str = ""
