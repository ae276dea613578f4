"""The small tree between Markdown and every output: HTML, Typst, plain text.

Nodes hold text as the author wrote it; each output escapes for itself, in one place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, Union


@dataclass(frozen=True, slots=True)
class GapSpan:
    """A cloze gap inside code or maths: characters ``start`` to ``end`` of its text.

    ``box`` counts the gaps in formulas of a text, from 1; in code it is 0. Paper prints it in the
    formula, for what belongs there is written on a line below.
    """

    start: int
    end: int
    number: int
    hint: str | None = None
    box: int = 0


@dataclass(frozen=True, slots=True)
class Text:
    """Plain characters."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """Code within a line."""

    text: str
    gaps: tuple[GapSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class Math:
    """LaTeX within a line, without its dollars. ``offset`` is its place in the source text."""

    tex: str
    offset: int = 0
    gaps: tuple[GapSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class Emphasis:
    """Stressed text; ``strong`` for two stars."""

    children: tuple[Inline, ...]
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """A link. Only http, https and mailto addresses come this far."""

    children: tuple[Inline, ...]
    url: str


@dataclass(frozen=True, slots=True)
class Image:
    """A figure: its path as written, its alternative text, its place in the source text."""

    path: str
    alt: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Break:
    """A line break that the author asked for."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A cloze gap over whole inlines. In code and maths see :class:`GapSpan`."""

    number: int
    children: tuple[Inline, ...]
    hint: str | None = None


Inline: TypeAlias = Union[Text, Code, Math, Emphasis, Link, Image, Break, Gap]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text."""

    children: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading within a card; ``level`` from 1."""

    level: int
    children: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Fenced or printed code. ``numbered`` asks for line numbers where the output has them."""

    text: str
    language: str = ""
    gaps: tuple[GapSpan, ...] = ()
    numbered: bool = False


@dataclass(frozen=True, slots=True)
class MathBlock:
    """LaTeX set apart."""

    tex: str
    offset: int = 0
    gaps: tuple[GapSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class List:
    """A list; ``start`` is the first number of an ordered one, None for bullets.

    ``tight``: no blank lines between the items, so that their paragraphs need no space.
    """

    items: tuple[tuple[Block, ...], ...]
    start: int | None = None
    tight: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A table with a header row; ``align`` has one entry a column."""

    align: tuple[Literal["left", "center", "right"], ...]
    header: tuple[tuple[Inline, ...], ...]
    rows: tuple[tuple[tuple[Inline, ...], ...], ...]


@dataclass(frozen=True, slots=True)
class Quote:
    """Quoted blocks."""

    children: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Rule:
    """A thematic break."""


Block: TypeAlias = Union[Paragraph, Heading, CodeBlock, MathBlock, List, Table, Quote, Rule]
Document: TypeAlias = tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class TextProblem:
    """A mistake in a text, at a character of it. The caller knows where the text stands."""

    offset: int
    message: str
    severity: Literal["error", "warning"] = "error"
