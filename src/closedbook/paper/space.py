"""How much room a paper leaves for an answer."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

MAX_CM = 24.0
MAX_LINES = 30


@dataclass(frozen=True, slots=True)
class Space:
    """``lines`` ruled lines, or ``cm`` of blank paper or of dotted grid."""

    style: Literal["lines", "blank", "grid", "none"]
    lines: int = 0
    cm: float = 0.0


NONE = Space("none")


def read_space(text: str, points: Fraction) -> tuple[Space | None, str]:
    """``4cm``, ``6 lines``, ``grid``, ``grid 6cm`` or ``none``; else None and what is wrong."""
    words = text.strip().lower()
    if words == "none":
        return NONE, ""
    if words == "grid":
        return default_space("derivation", points), ""
    if match := re.fullmatch(r"(\d+) ?lines?", words):
        lines = int(match[1])
        if 1 <= lines <= MAX_LINES:
            return Space("lines", lines=lines), ""
        return None, f"a space of {lines} lines does not fit a page: give 1 to {MAX_LINES}"
    if match := re.fullmatch(r"(grid )?(\d+(?:\.\d+)?) ?cm", words):
        cm = float(match[2])
        if 0.5 <= cm <= MAX_CM:
            return Space("grid" if match[1] else "blank", cm=cm), ""
        return None, f"a space of {match[2]} cm does not fit a page: give 0.5 to {MAX_CM:g}"
    return None, f"'{text}' is no space: write 4cm, 6 lines, grid, grid 6cm or none"


def default_space(kind: str, points: Fraction) -> Space:
    """The room that so many points of this kind deserve.

    Prose has ruled lines; derivations and code have a grid, which guides both without ruling
    out a sketch.
    """
    if kind in ("derivation", "code"):
        return Space("grid", cm=_bounded(1.5 + 1.0 * float(points), 2.5, 9.0))
    return Space("lines", lines=int(_bounded(1 + float(points), 2, 10)))


def _bounded(value: float, low: float, high: float) -> float:
    """Rounded up to half units, within the bounds."""
    return min(max(math.ceil(value * 2) / 2, low), high)
