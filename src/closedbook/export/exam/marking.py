"""The marking sheet: every variant's answers and points on one page, as far as they fit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from closedbook.export.exam.data import FONTS, MONO_FONTS, nodes
from closedbook.export.exam.inks import INKS
from closedbook.export.exam.typeset import Typesetter
from closedbook.export.exam.words import WORDS
from closedbook.model.blueprint import BlueprintInfo
from closedbook.paper.exam import Award, Question, Variant
from closedbook.paper.points import format_points
from closedbook.paper.trees import plain
from closedbook.render.tree import (
    Break,
    Code,
    CodeBlock,
    Document,
    Emphasis,
    Inline,
    Math,
    MathBlock,
    Paragraph,
    Text,
)
from closedbook.render.walk import images_of

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
                "cells": [_cell(question) for question in variant.questions],
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
        longest = max(cell["length"] for column in columns for cell in column["cells"])
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


def _cell(question: Question) -> dict[str, Any]:
    answer: Document = (Paragraph(short_answer(question)),)
    (paragraph,) = nodes(answer)
    return {
        "points": format_points(question.points),
        "length": len(plain(answer)),
        "answer": paragraph["c"],
    }


def short_answer(question: Question) -> tuple[Inline, ...]:
    """The answer where it is short enough to mark by; else where to look."""
    if question.hand_in is not None:
        return Code(question.hand_in.file), Text(": "), Code("cards grade")
    if question.options:
        return (Text(", ".join(question.right_letters)),)
    if question.by_parts:
        rows = [(part.label, part.awards) for part in question.parts]
    else:
        rows = [("", question.all_awards)]
    told: list[Inline] = []
    for label, awards in rows:
        said = _said(awards)
        if said is None:
            return (Text(WORDS["see-key"]),)
        begin = (Emphasis((Text(label),), strong=True), Text(" ")) if label else ()
        told += [*([Break()] if told else []), *begin, *said]
    short = len(plain((Paragraph(tuple(told)),))) <= _SHORT
    return tuple(told) if short else (Text(WORDS["see-key"]),)


def _said(awards: Iterable[Award]) -> list[Inline] | None:
    """What earns points, in one line; None where it is no text of one line."""
    found: list[Inline] = []
    for award in awards:
        line = _line(award.says)
        if line is None:
            return None
        if found and isinstance(found[-1], Text):
            found[-1] = replace(found[-1], text=found[-1].text.removesuffix("."))
        found += [*([Text("; ")] if found else []), *line]
    return found


def _line(document: Document) -> list[Inline] | None:
    found: list[Inline] = []
    for block in document:
        found += [Text(" ")] if found else []
        match block:
            case Paragraph(children) if not images_of((block,)):
                found += children
            case MathBlock(tex) if "\\begin" not in tex:
                found.append(Math(tex))
            case CodeBlock(text) if "\n" not in text.strip():
                found.append(Code(text.strip()))
            case _:
                return None
    return found
