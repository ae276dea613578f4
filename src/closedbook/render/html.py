r"""The tree as HTML, for Anki's fields and for pages.

Maths stands in MathJax's ``\(…\)`` and ``\[…\]``; code carries Pygments' classes below
``.highlight``; a table and a code block scroll by themselves on a narrow screen.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from closedbook.render import code, escape, maths, tree
from closedbook.render.escape import Target
from closedbook.render.lexing import Piece

ImageSource = Callable[[tree.Image], str]
"""The ``src`` of a figure: a media name for Anki, a path for the preview."""

ShowGap = Callable[[int, str, "str | None", bool], str]
"""A gap's number, its content as HTML (LaTeX within maths), its hint, whether it is in maths."""

ShowMath = Callable[[str, bool], str]
"""LaTeX (escaped already where it goes to MathJax) and whether it is set apart, as HTML."""


# (5, 4), [1, 2] and x = 2 stay on one line
_TOGETHER = re.compile(r"[(\[]-?[\d.]+(?:, -?[\d.]+){1,3}[)\]]|\b\w = -?\d")
_SHORT = 24
_PLAIN_HINT = re.compile(r"[\w ,.;!?()+/=-]+")


def anki_gap(number: int, content: str, hint: str | None, in_maths: bool) -> str:
    """``{{c1::content::hint}}``, for ``target="cloze"``, which escapes the content for it."""
    if in_maths:
        # a brace of LaTeX must not touch the two that end the gap
        content += " " if content.endswith("}") else ""
        if hint and _PLAIN_HINT.fullmatch(hint):
            return rf"{{{{c{number}::{content}::\text{{{hint}}} }}}}"
    tail = "" if hint is None else f"::{escape.text(hint, 'cloze')}"
    return f"{{{{c{number}::{content}{tail}}}}}"


def filled_gap(number: int, content: str, hint: str | None, in_maths: bool) -> str:
    """The answer in its place, marked."""
    if in_maths:
        return rf"\boxed{{{content}}}"
    return f'<span class="gap filled">{content}</span>'


def blank_gap(number: int, content: str, hint: str | None, in_maths: bool) -> str:
    """A blank of even length, so that it tells nothing of the answer's."""
    if in_maths:
        return r"\boxed{\phantom{xxxxxx}}"
    shown = escape.text(hint) if hint else ""
    return f'<span class="gap blank" role="img" aria-label="blank">{shown}</span>'


def mathjax(tex: str, display: bool) -> str:
    """Maths in the delimiters that Anki's MathJax looks for."""
    return rf"\[{tex}\]" if display else rf"\({tex}\)"


def _path(image: tree.Image) -> str:
    return image.path


def _unparted(match: re.Match[str]) -> str:
    return match[0].replace(" ", "\N{NO-BREAK SPACE}")


def _span(kind: str, value: str, target: Target) -> str:
    shown = escape.text(value, target)
    return f'<span class="{kind}">{shown}</span>' if kind else shown


_word = lru_cache(maxsize=8192)(_span)  # the words of one language are few


def to_html(
    document: tree.Document,
    *,
    target: Target = "page",
    image: ImageSource = _path,
    gap: ShowGap | None = None,
    math: ShowMath | None = None,
) -> str:
    """The document as HTML.

    ``gap`` is :func:`anki_gap` where left out and the target is ``cloze``, else
    :func:`filled_gap`. A ``math`` of the caller's gets the LaTeX as typed, gaps shown.
    """
    show_gap = gap or (anki_gap if target == "cloze" else filled_gap)
    return _Writer(target, image, show_gap, math).blocks(document)


@dataclass(frozen=True, slots=True)
class _Writer:
    target: Target
    image: ImageSource
    gap: ShowGap
    math: ShowMath | None

    def blocks(self, blocks: Sequence[tree.Block], *, tight: bool = False) -> str:
        return "\n".join(self.block(block, tight) for block in blocks)

    def block(self, block: tree.Block, tight: bool) -> str:
        match block:
            case tree.Paragraph(children):
                inner = self.inlines(children)
                return inner if tight else f"<p>{inner}</p>"
            case tree.Heading(level, children):
                return f"<h{level}>{self.inlines(children)}</h{level}>"
            case tree.CodeBlock():
                return self.code_block(block)
            case tree.MathBlock(tex, _, gaps):
                return self.maths(tex, gaps, display=True)
            case tree.List():
                return self.list(block)
            case tree.Table():
                return self.table(block)
            case tree.Quote(children):
                return f"<blockquote>{self.blocks(children)}</blockquote>"
            case tree.Rule():
                return "<hr>"

    def list(self, node: tree.List) -> str:
        tag = "ul" if node.start is None else "ol"
        start = f' start="{node.start}"' if node.start not in (None, 1) else ""
        items = "".join(f"<li>{self.blocks(i, tight=node.tight)}</li>" for i in node.items)
        return f"<{tag}{start}>{items}</{tag}>"

    def table(self, node: tree.Table) -> str:
        def row(cells: Sequence[Sequence[tree.Inline]], tag: str, more: str = "") -> str:
            shown = (
                f'<{tag}{more} class="{side}">{self.inlines(cell)}</{tag}>'
                for cell, side in zip(cells, node.align, strict=True)
            )
            return f"<tr>{''.join(shown)}</tr>"

        head = row(node.header, "th", ' scope="col"')
        body = "".join(row(cells, "td") for cells in node.rows)
        return (
            '<div class="table" tabindex="0"><table>'
            f"<thead>{head}</thead><tbody>{body}</tbody></table></div>"
        )

    def code_block(self, node: tree.CodeBlock) -> str:
        inner = code.with_gaps(
            code.pieces(node.text, node.language), node.gaps, self.piece, self.span
        )
        kind = "highlight" if code.lexer_of(node.language) else "highlight plain"
        return f'<div class="{kind}" tabindex="0"><pre><code>{inner}</code></pre></div>'

    def piece(self, piece: Piece) -> str:
        kind, value = piece
        shown = _word if len(value) <= _SHORT else _span
        return shown(kind, value, self.target)

    def span(self, span: tree.GapSpan, content: str) -> str:
        return self.gap(span.number, content, span.hint, False)

    def inlines(self, nodes: Sequence[tree.Inline]) -> str:
        return "".join(map(self.inline, nodes))

    def inline(self, node: tree.Inline) -> str:
        match node:
            case tree.Text(raw):
                return escape.text(_TOGETHER.sub(_unparted, raw), self.target)
            case tree.Code(raw, gaps):
                parts = iter([("", raw)])
                inner = code.with_gaps(parts, gaps, self.piece, self.span)
                if self.target != "page" and len(raw) > _SHORT and not gaps:
                    inner = inner.replace(").", ")<wbr>.")  # a phone is 33 characters wide
                short = ' class="short"' if " " in raw and len(raw) <= _SHORT and not gaps else ""
                return f"<code{short}>{inner}</code>"
            case tree.Math(tex, _, gaps):
                return self.maths(tex, gaps, display=False)
            case tree.Emphasis(children, strong):
                tag = "strong" if strong else "em"
                return f"<{tag}>{self.inlines(children)}</{tag}>"
            case tree.Link(children, url):
                href = escape.attribute(url, self.target)
                return f'<a href="{href}">{self.inlines(children)}</a>'
            case tree.Image():
                source = escape.attribute(self.image(node))
                return f'<img src="{source}" alt="{escape.attribute(node.alt, self.target)}">'
            case tree.Break():
                return "<br>"
            case tree.Gap(number, children, hint):
                return self.gap(number, self.inlines(children), hint, False)

    def maths(self, tex: str, gaps: tuple[tree.GapSpan, ...], *, display: bool) -> str:
        def show(piece: Piece) -> str:
            if self.math:
                return piece[1]
            shown = escape.maths(maths.for_mathjax(piece[1]), self.target)
            if gaps and self.target == "cloze":  # nor the two that begin or end one
                shown = " " * shown.startswith("}") + shown + " " * shown.endswith("{")
            return shown

        def span(span: tree.GapSpan, content: str) -> str:
            return self.gap(span.number, content, span.hint, True)

        inner = code.with_gaps(iter([("", tex)]), gaps, show, span)
        return (self.math or mathjax)(inner, display)
