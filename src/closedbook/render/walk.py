"""Going through a tree: its figures, its formulas, its code, its gaps; and changing it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeAlias, Union

from closedbook.render import tree

Node: TypeAlias = Union[tree.Block, tree.Inline]
Change: TypeAlias = Callable[[tree.Inline], tree.Inline]


def walk(nodes: Sequence[Node]) -> Iterator[Node]:
    """Every node, in reading order, parents first."""
    for node in nodes:
        yield node
        yield from walk(_below(node))


def _below(node: Node) -> Sequence[Node]:
    match node:
        case (
            tree.Paragraph(children)
            | tree.Heading(_, children)
            | tree.Emphasis(children)
            | tree.Link(children)
            | tree.Gap(_, children)
            | tree.Quote(children)
        ):
            return children
        case tree.List(items):
            return [block for item in items for block in item]
        case tree.Table(_, header, rows):
            return [inline for row in (header, *rows) for cell in row for inline in cell]
        case _:
            return ()


def images_of(document: tree.Document) -> tuple[tree.Image, ...]:
    """The figures of a document, in reading order."""
    return tuple(node for node in walk(document) if isinstance(node, tree.Image))


def maths_of(document: tree.Document) -> tuple[tree.Math | tree.MathBlock, ...]:
    """The formulas of a document, in reading order."""
    return tuple(node for node in walk(document) if isinstance(node, tree.Math | tree.MathBlock))


def code_of(document: tree.Document) -> tuple[tree.CodeBlock, ...]:
    """The code blocks of a document, in reading order."""
    return tuple(node for node in walk(document) if isinstance(node, tree.CodeBlock))


def gaps_of(document: tree.Document) -> tuple[int, ...]:
    """The numbers of a document's gaps, in reading order; a number may come more than once."""
    numbers: list[int] = []
    for node in walk(document):
        if isinstance(node, tree.Gap):
            numbers.append(node.number)
        spans: tuple[tree.GapSpan, ...] = getattr(node, "gaps", ())
        numbers += [span.number for span in spans]
    return tuple(numbers)


def gap_contents(document: tree.Document) -> tuple[tree.Document, ...]:
    """What stands in each gap of a cloze, in reading order."""
    found: list[tuple[tree.Inline, ...]] = []
    for node in walk(document):
        match node:
            case tree.Gap():
                found.append(node.children)
            case tree.Code() | tree.CodeBlock():
                found += [(tree.Code(node.text[gap.start : gap.end]),) for gap in node.gaps]
            case tree.Math() | tree.MathBlock():
                found += [(tree.Math(node.tex[gap.start : gap.end]),) for gap in node.gaps]
    return tuple((tree.Paragraph(children),) for children in found)


def boxed_gaps(document: tree.Document) -> tuple[tuple[tree.GapSpan, str], ...]:
    """The gaps in formulas, in reading order, each with the LaTeX that belongs in it."""
    return tuple(
        (gap, node.tex[gap.start : gap.end]) for node in maths_of(document) for gap in node.gaps
    )


def gap_hints(document: tree.Document) -> tuple[str, ...]:
    """The hints of a cloze's gaps, in reading order."""
    found: list[str | None] = []
    for node in walk(document):
        if isinstance(node, tree.Gap):
            found.append(node.hint)
        elif isinstance(node, tree.Code | tree.CodeBlock | tree.Math | tree.MathBlock):
            found += [gap.hint for gap in node.gaps]
    return tuple(hint for hint in found if hint)


def mapped(document: tree.Document, change: Change) -> tree.Document:
    """The document with ``change`` applied to every inline node, children first."""
    return tuple(_block(block, change) for block in document)


def _block(block: tree.Block, change: Change) -> tree.Block:
    match block:
        case tree.Paragraph() | tree.Heading():
            return replace(block, children=_inlines(block.children, change))
        case tree.List():
            return replace(block, items=tuple(mapped(item, change) for item in block.items))
        case tree.Quote():
            return replace(block, children=mapped(block.children, change))
        case tree.Table():
            return replace(
                block,
                header=tuple(_inlines(cell, change) for cell in block.header),
                rows=tuple(tuple(_inlines(cell, change) for cell in row) for row in block.rows),
            )
        case _:
            return block


def _inlines(nodes: Sequence[tree.Inline], change: Change) -> tuple[tree.Inline, ...]:
    return tuple(_inline(node, change) for node in nodes)


def _inline(node: tree.Inline, change: Change) -> tree.Inline:
    if isinstance(node, tree.Emphasis | tree.Link | tree.Gap):
        node = replace(node, children=_inlines(node.children, change))
    return change(node)
