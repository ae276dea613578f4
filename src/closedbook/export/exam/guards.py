"""What can get lost on a page in silence, found after the compile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from closedbook.export.exam.typeset import Mark

_POINTS_A_MM = 72 / 25.4
_BOTTOM = {"a4": (297 - 23) * _POINTS_A_MM, "us-letter": (279.4 - 23) * _POINTS_A_MM}
_SLACK = 1.0
"""In points: a descender below the last line is no loss."""


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
            elif mark.y > _BOTTOM[paper] + _SLACK:
                room = (_BOTTOM[paper] - start.y) / _POINTS_A_MM
                takes = (mark.y - start.y) / _POINTS_A_MM
                yield (
                    mark.card,
                    f"{mark.what} is taller than its page: it takes {takes:.0f} mm, and the page "
                    f"has {room:.0f}. Give it less 'space', or split it",
                )
