"""Every Markdown text of a card, with its place and its side."""

from __future__ import annotations

from collections.abc import Iterator

from closedbook.model.bank import Content
from closedbook.model.kinds.base import Side, Written
from closedbook.model.origin import Loc

__all__ = ["Loc", "Side", "Written", "texts_of"]


def texts_of(content: Content) -> Iterator[Written]:
    """``(loc, text, side)`` for each text of a card, in the order in which it is printed.

    Options stand on the asking side, right and wrong; so does a cloze text, gaps and all.
    """
    yield from content.texts()
