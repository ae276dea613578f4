"""The tree as plain text, for terminals and for learning platforms that take no markup."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Sequence

from closedbook.render import tree

BLANK = "_____"


def to_text(document: tree.Document, *, blanks: bool = False) -> str:
    """The document as text; gaps are blanks where ``blanks``, else filled."""
    return _blocks(document, blanks)


def width(text: str) -> int:
    """How many columns of a terminal a text takes."""
    return sum(
        0 if unicodedata.combining(ch) else 2 if unicodedata.east_asian_width(ch) in "WF" else 1
        for ch in text
    )


def _blocks(blocks: Sequence[tree.Block], blanks: bool, *, tight: bool = False) -> str:
    return ("\n" if tight else "\n\n").join(_block(block, blanks) for block in blocks)


def _block(block: tree.Block, blanks: bool) -> str:
    match block:
        case tree.Paragraph(children) | tree.Heading(_, children):
            return _inlines(children, blanks)
        case tree.CodeBlock(text, _, gaps):
            return textwrap.indent(_spans(text, gaps, blanks), "    ")
        case tree.MathBlock(tex, _, gaps):
            return textwrap.indent(_spans(tex, gaps, blanks), "    ")
        case tree.List():
            return _list(block, blanks)
        case tree.Table():
            return _table(block, blanks)
        case tree.Quote(children):
            return textwrap.indent(_blocks(children, blanks), "> ", lambda line: True)
        case tree.Rule():
            return "---"


def _list(node: tree.List, blanks: bool) -> str:
    items = []
    for index, item in enumerate(node.items):
        mark = "- " if node.start is None else f"{node.start + index}. "
        body = textwrap.indent(_blocks(item, blanks, tight=node.tight), " " * len(mark))
        items.append(mark + body[len(mark) :])
    return ("\n" if node.tight else "\n\n").join(items)


def _table(node: tree.Table, blanks: bool) -> str:
    rows = [[_inlines(cell, blanks) for cell in row] for row in (node.header, *node.rows)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = []
        for cell, wide, side in zip(row, widths, node.align, strict=True):
            room = wide - width(cell)
            left = {"left": 0, "center": room // 2, "right": room}[side]
            cells.append(" " * left + cell + " " * (room - left))
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * wide for wide in widths))
    return "\n".join(lines)


def _inlines(nodes: Sequence[tree.Inline], blanks: bool) -> str:
    return "".join(_inline(node, blanks) for node in nodes)


def _inline(node: tree.Inline, blanks: bool) -> str:
    match node:
        case tree.Text(text):
            return text
        case tree.Code(text, gaps) | tree.Math(text, _, gaps):
            return _spans(text, gaps, blanks)
        case tree.Emphasis(children):
            return _inlines(children, blanks)
        case tree.Link(children, url):
            label = _inlines(children, blanks)
            return label if label in (url, url.removeprefix("mailto:")) else f"{label} ({url})"
        case tree.Image(_, alt):
            return f"[figure: {alt}]"
        case tree.Break():
            return "\n"
        case tree.Gap(_, children, hint):
            return _gap(hint) if blanks else _inlines(children, blanks)


def _gap(hint: str | None) -> str:
    return f"{BLANK} ({hint})" if hint else BLANK


def _spans(text: str, gaps: tuple[tree.GapSpan, ...], blanks: bool) -> str:
    if not blanks:
        return text
    for span in reversed(gaps):
        text = text[: span.start] + _gap(span.hint) + text[span.end :]
    return text
