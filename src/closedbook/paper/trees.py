"""Texts for a paper that no card holds as they are: sentences, one line of text, other paths."""

from __future__ import annotations

from dataclasses import replace

from closedbook.render import walk
from closedbook.render.plain import to_text
from closedbook.render.tree import Document, Image, Inline, Paragraph, Text


def sentence(*inlines: Inline | str) -> Document:
    """One paragraph; a plain text stands for itself."""
    return (Paragraph(tuple(Text(part) if isinstance(part, str) else part for part in inlines)),)


def plain(document: Document) -> str:
    """The document as one line of text."""
    return " ".join(to_text(document).split())


def with_figures(document: Document, folder: str) -> Document:
    """Figures named from the bank's folder, instead of from the card's (``folder`` in the bank)."""

    def change(node: Inline) -> Inline:
        if isinstance(node, Image):
            return replace(node, path=f"{folder}/{node.path}" if folder else node.path)
        return node

    return walk.mapped(document, change)
