"""A verified bank as a deck for Anki."""

from closedbook.export.anki.drafts import keep_notes
from closedbook.export.anki.lock import NAME as LOCK_NAME
from closedbook.export.anki.selection import Selection, selection_of
from closedbook.export.anki.store import NAME as STORE_NAME
from closedbook.export.anki.write import FORMATS, Written, write_deck

__all__ = [
    "FORMATS",
    "LOCK_NAME",
    "STORE_NAME",
    "Selection",
    "Written",
    "keep_notes",
    "selection_of",
    "write_deck",
]
