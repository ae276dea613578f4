"""The tree as data for Typst. ``data/tree.typ`` sets it; no text of an author's is ever markup.

A document becomes a list of plain values that JSON holds. What a blank gap hides is not among
them: the paper's compile never sees an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias, Union

from closedbook.render import code, maths, tree
from closedbook.render.walk import boxed_gaps

Json: TypeAlias = Union[str, int, bool, None, list["Json"], dict[str, "Json"]]
ImagePath = Callable[[tree.Image], str]

CODE_BLANK = "_" * 23
"""As long as the blanks in text, which tree.typ draws."""
_OPEN, _CLOSE = "\ue000", "\ue001"  # around what fills a gap in code: tree.typ sets it apart
_HINT, _HINTED = "\ue002", "\ue003"  # around a hint, or nothing, behind a blank


def _path(image: tree.Image) -> str:
    return image.path


def to_typst(
    document: tree.Document, *, filled: bool = False, image: ImagePath = _path
) -> tuple[list[Json], tuple[tree.TextProblem, ...]]:
    """The nodes of a document, and the formulas that cannot be set.

    ``filled`` shows what stands in gaps (for a key); else they are blanks of even length. A gap
    in a formula is a box with a number, and its blank stands below the block.
    ``image`` gives the path by which the compile finds a figure.
    """
    writer = _Writer(filled, image)
    nodes: list[Json] = []
    for block in document:
        nodes.append(writer.block(block))
        if boxed := boxed_gaps((block,)):
            nodes.append({"k": "blanks", "c": [writer.blank(*each) for each in boxed]})
    return nodes, tuple(writer.problems)


class _Writer:
    def __init__(self, filled: bool, image: ImagePath) -> None:
        self.filled = filled
        self.image = image
        self.problems: list[tree.TextProblem] = []

    def blocks(self, blocks: Sequence[tree.Block]) -> list[Json]:
        return [self.block(block) for block in blocks]

    def block(self, block: tree.Block) -> Json:
        match block:
            case tree.Paragraph(children):
                return {"k": "par", "c": self.inlines(children)}
            case tree.Heading(level, children):
                return {"k": "head", "level": level, "c": self.inlines(children)}
            case tree.CodeBlock():
                return self.code_block(block)
            case tree.MathBlock(tex, offset, gaps):
                return self.maths(tex, offset, gaps, block=True)
            case tree.List():
                items: list[Json] = [self.blocks(item) for item in block.items]
                return {"k": "list", "start": block.start, "tight": block.tight, "c": items}
            case tree.Table():
                return self.table(block)
            case tree.Quote(children):
                return {"k": "quote", "c": self.blocks(children)}
            case tree.Rule():
                return {"k": "rule"}

    def table(self, node: tree.Table) -> Json:
        rows: list[Json] = [[self.inlines(cell) for cell in row] for row in node.rows]
        return {
            "k": "table",
            "align": list(node.align),
            "head": [self.inlines(cell) for cell in node.header],
            "c": rows,
        }

    def code_block(self, node: tree.CodeBlock) -> Json:
        text = node.text
        for span in reversed(node.gaps):
            inner = _filling(text[span.start : span.end]) if self.filled else _blank(span)
            text = text[: span.start] + inner + text[span.end :]
        return {
            "k": "pre",
            "v": text,
            "lang": node.language if code.lexer_of(node.language) else None,
            "numbered": node.numbered,
        }

    def inlines(self, nodes: Sequence[tree.Inline]) -> list[Json]:
        return [self.inline(node) for node in nodes]

    def inline(self, node: tree.Inline) -> Json:
        match node:
            case tree.Text(text):
                return text
            case tree.Code(text, gaps):
                return {"k": "code", "c": self.pieces(text, gaps)}
            case tree.Math(tex, offset, gaps):
                return self.maths(tex, offset, gaps, block=False)
            case tree.Emphasis(children, strong):
                return {"k": "strong" if strong else "emph", "c": self.inlines(children)}
            case tree.Link(children, url):
                return {"k": "link", "url": url, "c": self.inlines(children)}
            case tree.Image(_, alt):
                return {"k": "image", "path": self.image(node), "alt": alt}
            case tree.Break():
                return {"k": "break"}
            case tree.Gap(number, children, hint):
                inner: Json = self.inlines(children) if self.filled else None
                return {"k": "gap", "n": number, "hint": hint, "c": inner}

    def pieces(self, text: str, gaps: tuple[tree.GapSpan, ...]) -> list[Json]:
        """Inline code as texts and gaps."""
        out: list[Json] = []
        at = 0
        for span in gaps:
            out.append(text[at : span.start])
            inner: Json = [text[span.start : span.end]] if self.filled else None
            out.append({"k": "gap", "n": span.number, "hint": span.hint, "c": inner})
            at = span.end
        return [piece for piece in (*out, text[at:]) if piece != ""]

    def blank(self, gap: tree.GapSpan, tex: str) -> Json:
        """The line below for a gap in a formula, or what belongs on it."""
        inner = self.maths(tex, 0, (), block=False) if self.filled else None
        return {"n": gap.box, "hint": None if self.filled else gap.hint, "c": inner}

    def maths(self, tex: str, offset: int, gaps: tuple[tree.GapSpan, ...], *, block: bool) -> Json:
        formula, problems = maths.translate(tex, gaps, block=block)
        if formula is None:
            self.problems += [
                tree.TextProblem(offset + problem.offset, problem.message) for problem in problems
            ]
            return ""
        shown: list[Json] = []
        for span in gaps:
            inner, _ = maths.translate(tex[span.start : span.end])
            shown.append({"n": span.box, "c": inner.typst if self.filled and inner else None})
        whole, _ = maths.translate(tex, block=block)
        alt = whole.spoken if self.filled and whole else formula.spoken
        return {"k": "math", "v": formula.typst, "alt": alt, "block": block, "gaps": shown}


def _filling(text: str) -> str:
    """What fills a gap in a listing, line by line, for a mark cannot reach over a line's end."""
    lines = (
        line.partition(line.strip()) if line.strip() else (line, "", "")
        for line in text.split("\n")
    )
    return "\n".join(
        f"{before}{_OPEN}{said}{_CLOSE}{after}" if said else before for before, said, after in lines
    )


def _blank(gap: tree.GapSpan) -> str:
    return f"{CODE_BLANK}{_HINT}{f'({gap.hint})' if gap.hint else ''}{_HINTED}"
