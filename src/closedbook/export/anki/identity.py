"""The ids by which Anki knows a note, a deck and a preset again, release after release.

A note's GUID is made of the bank's id, the card's first id, its kind and which of the card's
notes it is; never of its text. A card that changes its kind becomes another note: Anki refuses
(or freezes) a note that changes its type under one GUID.
"""

from __future__ import annotations

import functools
import hashlib

_LOWEST = 1 << 40  # far from the ids that Anki gives by itself: 1, and milliseconds since 1970


def guid(bank: str, card: str, part: str) -> str:
    """The GUID of a note: 20 letters and digits, safe in every format that carries it.

    ``part`` is the kind, and what tells the notes of one card apart: ``question``, ``step.2``,
    ``question.draw.2``.
    """
    return _digest("note", bank, card, part)[:10].hex()


@functools.lru_cache(maxsize=1024)
def deck_id(name: str) -> int:
    """The id of a deck, from its full name: Anki itself merges decks by name."""
    return _LOWEST + int.from_bytes(_digest("deck", name)[:4])


def preset_id(bank: str, name: str) -> int:
    """The id of a preset (Anki's deck options)."""
    return _LOWEST + (1 << 32) + int.from_bytes(_digest("preset", bank, name)[:4])


def uuid_of(*parts: str) -> str:
    """A UUID for CrowdAnki, which names everything by one."""
    text = _digest("uuid", *parts)[:16].hex()
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def _digest(*parts: str) -> bytes:
    return hashlib.sha256("\x1f".join(parts).encode("utf-8")).digest()
