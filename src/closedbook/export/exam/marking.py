"""The marking sheet: every variant's answers and points on one page, as far as they fit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from closedbook.export.exam.data import FONTS, MONO_FONTS
from closedbook.export.exam.inks import INKS
from closedbook.export.exam.typeset import Typesetter
from closedbook.export.exam.words import WORDS
from closedbook.model.blueprint import BlueprintInfo
from closedbook.paper.exam import Question, Variant
from closedbook.paper.manifest import answer_text
from closedbook.paper.points import format_points
from closedbook.paper.trees import plain

A_PAGE = 6
"""Variants side by side on a page, twice as many where all answers are as short as letters."""
_LETTERS = 12
A_FILE = 12
"""Variants in one file; more make several files, so that memory stays flat."""
_SHORT = 60


class Sheet:
    """Gathers what each variant's graders need at a glance."""

    def __init__(self, info: BlueprintInfo, fonts: Sequence[str]) -> None:
        self._info = info
        self._fonts = fonts
        self._columns: list[dict[str, Any]] = []

    def add(self, variant: Variant) -> None:
        """Add a variant's column."""
        self._columns.append(
            {
                "label": variant.label,
                "language": variant.language,
                "points": format_points(variant.points),
                "cells": [
                    (format_points(question.points), short_answer(question))
                    for question in variant.questions
                ],
            }
        )

    def write(self, folder: Path, root: Path) -> list[str]:
        """Write ``marking.pdf``, or several numbered files; returns their names."""
        files = [self._columns[at : at + A_FILE] for at in range(0, len(self._columns), A_FILE)]
        names = []
        with Typesetter(root, "marking") as setter:
            for at, columns in enumerate(files):
                name = "marking.pdf" if len(files) == 1 else f"marking-{at + 1}.pdf"
                (folder / name).write_bytes(setter.pdf(self._data(columns)))
                names.append(name)
        return names

    def _data(self, columns: list[dict[str, Any]]) -> dict[str, Any]:
        longest = max(len(answer) for column in columns for _, answer in column["cells"])
        most = A_PAGE if longest > _LETTERS else 2 * A_PAGE
        size = -(-len(columns) // -(-len(columns) // most))  # 8 are 4 and 4, not 6 and 2
        pages = [columns[at : at + size] for at in range(0, len(columns), size)]
        return {
            "title": self._info.title,
            "document-title": f"{self._info.title}: {WORDS['sheet']}",
            "paper": self._info.paper,
            "lang": columns[0]["language"],
            "fonts": [*FONTS, *self._fonts],
            "mono-fonts": [*MONO_FONTS, *self._fonts],
            "words": WORDS,
            "inks": INKS,
            "numbers": [str(at + 1) for at in range(len(columns[0]["cells"]))],
            "pages": pages,
        }


def short_answer(question: Question) -> str:
    """The answer where it is short enough to mark by; else where to look."""
    if question.hand_in is not None:
        return f"{question.hand_in.file}: cards grade"
    answer = answer_text(question)
    if question.by_parts:
        answer = [
            f"{part.label} {plain(award.says)}" for part in question.parts for award in part.awards
        ]
    told = answer if isinstance(answer, str) else (", " if question.options else "; ").join(answer)
    return told if len(told) <= _SHORT else WORDS["see-key"]
