"""``cloze``: a text with Anki's ``{{c1::gaps}}``, and the claims that show it."""

from __future__ import annotations

from typing import Literal

from closedbook.model.kinds.base import Claim, Kind, Text


class Cloze(Kind):
    """A text with gaps. Its claims say and show what the filled text states."""

    kind: Literal["cloze"]
    text: Text
    claims: tuple[Claim, ...] = ()
