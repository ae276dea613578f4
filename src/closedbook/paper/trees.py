"""Small walks over the tree of a text: its figures, its gaps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar, cast

from closedbook.render.plain import to_text
from closedbook.render.tree import (
    Block,
    Code,
    CodeBlock,
    Document,
    Emphasis,
    Gap,
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
    Text,
)

N = TypeVar("N", bound=Inline | Block)


def sentence(*inlines: Inline | str) -> Document:
    """One paragraph; a plain text stands for itself."""
    return (Paragraph(tuple(Text(part) if isinstance(part, str) else part for part in inlines)),)


def mapped(document: Document, change: Callable[[Inline], Inline]) -> Document:
    """The document with ``change`` applied to every inline node, children first."""
    return tuple(_block(block, change) for block in document)


def _block(block: Block, change: Callable[[Inline], Inline]) -> Block:
    match block:
        case Paragraph() | Heading():
            return replace(block, children=_inlines(block.children, change))
        case List():
            return replace(block, items=tuple(mapped(item, change) for item in block.items))
        case Quote():
            return replace(block, children=mapped(block.children, change))
        case Table():
            return replace(
                block,
                header=tuple(_inlines(cell, change) for cell in block.header),
                rows=tuple(tuple(_inlines(cell, change) for cell in row) for row in block.rows),
            )
        case _:
            return block


def _inlines(nodes: Sequence[Inline], change: Callable[[Inline], Inline]) -> tuple[Inline, ...]:
    return tuple(_inline(node, change) for node in nodes)


def _inline(node: Inline, change: Callable[[Inline], Inline]) -> Inline:
    if isinstance(node, Emphasis | Link | Gap):
        node = replace(node, children=_inlines(node.children, change))
    return change(node)


def walk(document: Document) -> Iterator[Inline | Block]:
    """Every node in reading order, parents before children."""
    for block in document:
        yield block
        match block:
            case Paragraph() | Heading():
                yield from _walk_inlines(block.children)
            case List():
                for item in block.items:
                    yield from walk(item)
            case Quote():
                yield from walk(block.children)
            case Table():
                for row in (block.header, *block.rows):
                    for cell in row:
                        yield from _walk_inlines(cell)


def _walk_inlines(nodes: Sequence[Inline]) -> Iterator[Inline]:
    for node in nodes:
        yield node
        if isinstance(node, Emphasis | Link | Gap):
            yield from _walk_inlines(node.children)


def with_figures(document: Document, folder: str) -> Document:
    """Figures named from the bank's folder, instead of from the card's (``folder`` in the bank)."""

    def change(node: Inline) -> Inline:
        if isinstance(node, Image):
            return replace(node, path=f"{folder}/{node.path}" if folder else node.path)
        return node

    return mapped(document, change)


def figures(document: Document) -> Iterator[Image]:
    """The figures of a document."""
    return (node for node in walk(document) if isinstance(node, Image))


def gap_contents(document: Document) -> tuple[Document, ...]:
    """What stands in each gap of a cloze, in reading order."""
    found: list[Document] = []
    for node in walk(document):
        match node:
            case Gap():
                found.append((Paragraph(node.children),))
            case Code() | CodeBlock():
                found += [sentence(Code(node.text[gap.start : gap.end])) for gap in node.gaps]
            case Math() | MathBlock():
                found += [sentence(Math(node.tex[gap.start : gap.end])) for gap in node.gaps]
    return tuple(found)


def gap_hints(document: Document) -> tuple[str, ...]:
    """The hints of a cloze's gaps, in reading order."""
    found: list[str | None] = []
    for node in walk(document):
        if isinstance(node, Gap):
            found.append(node.hint)
        elif isinstance(node, Code | CodeBlock | Math | MathBlock):
            found += [gap.hint for gap in node.gaps]
    return tuple(hint for hint in found if hint)


def plain(document: Document) -> str:
    """The document as one line of text."""
    return " ".join(to_text(document).split())


def as_inlines(document: Document) -> tuple[Inline, ...]:
    """The inlines of a document that is a single paragraph; its text otherwise."""
    if len(document) == 1 and isinstance(document[0], Paragraph):
        return document[0].children
    return cast("tuple[Inline, ...]", (Text(plain(document)),))
