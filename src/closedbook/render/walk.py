"""Going through a tree: its figures, its formulas, its code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias, Union

from closedbook.render.tree import (
    Block,
    CodeBlock,
    Document,
    Emphasis,
    Gap,
    GapSpan,
    Heading,
    Image,
    Inline,
    Link,
    List,
    Math,
    MathBlock,
    Paragraph,
    Quote,
    Table,
)

Node: TypeAlias = Union[Block, Inline]


def walk(nodes: Sequence[Node]) -> Iterator[Node]:
    """Every node, in reading order, parents first."""
    for node in nodes:
        yield node
        yield from walk(_below(node))


def _below(node: Node) -> Sequence[Node]:
    match node:
        case (
            Paragraph(children)
            | Heading(_, children)
            | Emphasis(children)
            | Link(children)
            | Gap(_, children)
            | Quote(children)
        ):
            return children
        case List(items):
            return [block for item in items for block in item]
        case Table(_, header, rows):
            return [inline for row in (header, *rows) for cell in row for inline in cell]
        case _:
            return ()


def images_of(document: Document) -> tuple[Image, ...]:
    """The figures of a document, in reading order."""
    return tuple(node for node in walk(document) if isinstance(node, Image))


def maths_of(document: Document) -> tuple[Math | MathBlock, ...]:
    """The formulas of a document, in reading order."""
    return tuple(node for node in walk(document) if isinstance(node, Math | MathBlock))


def code_of(document: Document) -> tuple[CodeBlock, ...]:
    """The code blocks of a document, in reading order."""
    return tuple(node for node in walk(document) if isinstance(node, CodeBlock))


def gaps_of(document: Document) -> tuple[int, ...]:
    """The numbers of a document's gaps, in reading order; a number may come more than once."""
    numbers: list[int] = []
    for node in walk(document):
        if isinstance(node, Gap):
            numbers.append(node.number)
        spans: tuple[GapSpan, ...] = getattr(node, "gaps", ())
        numbers += [span.number for span in spans]
    return tuple(numbers)
