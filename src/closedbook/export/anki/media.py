"""Figures: found beside the cards, checked, and named flat by what they hold.

Anki's media folder is flat and shared by every deck; it never replaces a file under a name that
is there. A name with a hash of the content in it solves both.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from closedbook.model.bank import Bank, Card
from closedbook.problem import Place, Problem
from closedbook.render.figures import figure_problem

SUFFIXES = frozenset({".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp"})
MEDIA_PREFIX = "closedbook-"
_UNSAFE = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A figure: where it lies, and its name in Anki's media folder."""

    path: Path
    name: str


class Media:
    """The figures of a bank, each read and checked once."""

    def __init__(self, bank: Bank) -> None:
        self._root = bank.root.resolve()
        self._found: dict[Path, tuple[MediaFile | None, str]] = {}

    def find(self, card: Card, path: str) -> tuple[MediaFile | None, str]:
        """The figure that ``card`` names as ``path``; else None and what is wrong with it."""
        place = card.folder / path
        if place not in self._found:
            self._found[place] = self._look(card, path)
        return self._found[place]

    def _look(self, card: Card, path: str) -> tuple[MediaFile | None, str]:
        mistake = figure_problem(path, card.folder, self._root)
        if mistake:
            return None, mistake
        real = (card.folder / path).resolve()
        return MediaFile(real, flat_name(real, real.read_bytes())), ""

    def names(self) -> dict[str, Path]:
        """Every figure that was found, by its name in Anki."""
        files = (file for file, _ in self._found.values() if file is not None)
        return {file.name: file.path for file in sorted(files, key=lambda file: file.name)}

    def unused(self) -> list[Problem]:
        """A warning for each figure below ``cards/`` that no card asked for."""
        used = {file.path for file, _ in self._found.values() if file is not None}
        return [
            Problem(
                Place(path.relative_to(self._root).as_posix()),
                "no card shows this figure",
                severity="warning",
            )
            for path in sorted((self._root / "cards").rglob("*"))
            if path.suffix.lower() in SUFFIXES and path.is_file() and path.resolve() not in used
        ]


def flat_name(path: Path, content: bytes) -> str:
    """``closedbook-graph-0123456789abcdef.svg``: safe in HTML, in zips, on every file system."""
    stem = _UNSAFE.sub("-", path.stem.lower()).strip("-")[:40] or "figure"
    digest = hashlib.sha256(content).hexdigest()[:16]
    return f"{MEDIA_PREFIX}{stem}-{digest}{path.suffix.lower()}"
