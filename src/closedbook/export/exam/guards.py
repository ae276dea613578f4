"""What can get lost on a page in silence, found after the compile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

SPACE = "the answer space of "
"""How the name of an answer space begins."""

_POINTS_A_MM = 72 / 25.4
_BOTTOM = {"a4": (297 - 23) * _POINTS_A_MM, "us-letter": (279.4 - 23) * _POINTS_A_MM}
_SLACK = 0.1
"""In points. Typst ends a piece that it cuts off exactly at the foot of the page."""


@dataclass(frozen=True, slots=True)
class Mark:
    """The start or the end of a piece, or a fault that the template found at it."""

    card: str
    what: str
    edge: str
    page: int
    y: float


def lost_pieces(marks: Sequence[Mark], paper: str) -> Iterator[tuple[str, str]]:
    """Pieces that were split over two pages or run off the bottom of theirs: card and what."""
    open_pieces: dict[tuple[str, str], Mark] = {}
    for mark in marks:
        piece = (mark.card, mark.what)
        if mark.edge == "start":
            open_pieces[piece] = mark
        elif mark.edge == "end" and piece in open_pieces:
            start = open_pieces.pop(piece)
            if mark.page != start.page:
                yield mark.card, f"{mark.what} is split over pages {start.page} and {mark.page}"
            elif _is_tall(mark, paper):
                yield mark.card, f"{mark.what} is taller than its page: give it less 'space'"


def tall_pieces(marks: Sequence[Mark], paper: str) -> list[str]:
    """The pieces that one page cannot hold, by name: set again, they may break between others.

    Answer spaces are not among them: those never break.
    """
    return [
        mark.what
        for mark in marks
        if mark.edge == "end" and _is_tall(mark, paper) and not mark.what.startswith(SPACE)
    ]


def _is_tall(end: Mark, paper: str) -> bool:
    """Whether a piece that must not break ends below its page, or was cut off at its foot."""
    return end.y >= _BOTTOM[paper] - _SLACK
