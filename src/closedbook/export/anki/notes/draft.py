"""A note before it has an identity: its type and what stands in its fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from closedbook.export.anki.notetypes import NoteType


@dataclass(frozen=True, slots=True)
class Draft:
    """``part`` names the note among its card's: the kind for the first, ``step.2`` for a step."""

    part: str
    type: NoteType
    fields: Mapping[str, str]
    cards: tuple[int, ...] | None = None
    """The ordinals of a cloze's cards; None lets the note type's templates say."""
    label: str = field(default="")
    """What is added to the card's id in the note's first field."""
