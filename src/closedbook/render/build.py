"""From the tokens of markdown-it to the small tree."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal
from urllib.parse import unquote, urlsplit

from markdown_it.token import Token

from closedbook.render import gaps, tree
from closedbook.render.places import Origins, Places

_SCHEMES = ("http", "https", "mailto")
_Align = Literal["left", "center", "right"]
_ALIGN: dict[str, _Align] = {"text-align:center": "center", "text-align:right": "right"}


class Builder:
    """Builds the tree of one text.

    ``problems`` gathers on the way, by offset in the text, and ``braces``: ``{{…}}`` and ``{%…%}``
    in prose, which some texts may not have.
    """

    def __init__(self, text: str, *, cloze: bool) -> None:
        self.problems: list[tree.TextProblem] = []
        self.braces: list[tuple[int, str]] = []
        self._places = Places(text)
        self._cloze = cloze
        self._boxes = 0

    def document(self, tokens: Sequence[Token]) -> tree.Document:
        """The blocks of a whole text."""
        return self._blocks(list(tokens))

    def _blocks(self, tokens: list[Token]) -> tuple[tree.Block, ...]:
        blocks: list[tree.Block] = []
        at = 0
        while at < len(tokens):
            end = _closing(tokens, at)
            blocks += self._block(tokens[at], tokens[at + 1 : end])
            at = end + 1
        return tuple(blocks)

    def _block(self, token: Token, inner: list[Token]) -> Sequence[tree.Block]:
        match token.type:
            case "paragraph_open":
                return _paragraphs(self._inline(inner[0]))
            case "heading_open":
                return [tree.Heading(int(token.tag[1:]), _flat(self._inline(inner[0])))]
            case "fence" | "code_block":
                return [self._code_block(token)]
            case "math_block":
                return [self._math_block(token)]
            case "bullet_list_open" | "ordered_list_open":
                return [self._list(token, inner)]
            case "blockquote_open":
                return [tree.Quote(self._blocks(inner))]
            case "table_open":
                return [self._table(inner)]
            case "hr":
                return [tree.Rule()]
            case _:
                raise AssertionError(f"a token that closedbook does not know: {token.type}")

    def _list(self, token: Token, inner: list[Token]) -> tree.List:
        items = []
        at = 0
        while at < len(inner):
            end = _closing(inner, at)
            items.append(self._blocks(inner[at + 1 : end]))
            at = end + 1
        start = int(token.attrs.get("start", 1)) if token.type == "ordered_list_open" else None
        tight = all(
            t.hidden for t in inner if t.type == "paragraph_open" and t.level == token.level + 2
        )
        return tree.List(tuple(items), start, tight)

    def _table(self, inner: list[Token]) -> tree.Table:
        rows: list[tuple[tuple[tree.Inline, ...], ...]] = []
        align: list[_Align] = []
        cells: list[tuple[tree.Inline, ...]] = []
        for index, token in enumerate(inner):
            if token.type in ("th_open", "td_open"):
                cells.append(_flat(self._inline(inner[index + 1])))
            if token.type == "th_open":
                align.append(_ALIGN.get(str(token.attrs.get("style", "")), "left"))
            if token.type == "tr_close":
                rows.append(tuple(cells))
                cells = []
        return tree.Table(tuple(align), rows[0], tuple(rows[1:]))

    def _code_block(self, token: Token) -> tree.CodeBlock:
        first = (token.map or [0])[0] + (token.type == "fence")
        text = token.content.removesuffix("\n")
        language = token.info.split()[0] if token.info.split() else ""
        text, spans, _ = self._verbatim(text, self._places.content(text, first), 0, tex=False)
        return tree.CodeBlock(text, language, spans)

    def _math_block(self, token: Token) -> tree.MathBlock:
        first = (token.map or [0])[0]
        raw = token.content
        lead = len(raw) - len(raw.lstrip("\n "))
        origins = self._places.content(raw, first)
        tex, spans, offset = self._verbatim(raw.strip(), origins, lead, tex=True)
        return tree.MathBlock(tex, offset, spans)

    def _verbatim(
        self, marked: str, origins: Origins, at: int, *, tex: bool
    ) -> tuple[str, tuple[Any, ...], int]:
        """Code or maths that begins at ``at`` of a content: text, gaps, offset in the source."""
        if not self._cloze:
            return marked, (), origins.at(at)
        found = gaps.take_out(marked, escapes=tex)
        self.problems += [
            tree.TextProblem(origins.at(at + p.offset), p.message, p.severity)
            for p in found.problems
        ]
        spans = tuple(map(self._boxed, found.gaps)) if tex else found.gaps
        return found.text, spans, origins.at(at)

    def _boxed(self, span: tree.GapSpan) -> tree.GapSpan:
        """A gap in a formula with its number among those of the text."""
        self._boxes += 1
        return replace(span, box=self._boxes)

    def _inline(self, token: Token) -> tuple[tree.Inline | tree.MathBlock, ...]:
        origins = self._places.content(token.content, (token.map or [0])[0])
        return self._inlines(token.children or [], origins)

    def _inlines(
        self, tokens: list[Token], origins: Origins
    ) -> tuple[tree.Inline | tree.MathBlock, ...]:
        nodes: list[tree.Inline | tree.MathBlock] = []
        at = 0
        while at < len(tokens):
            end = _closing(tokens, at)
            if tokens[at].type == "braces":
                self.braces.append((origins.at(tokens[at].meta["at"]), tokens[at].content))
                at += 1
                continue
            if tokens[at].type == "fault":
                place = origins.at(tokens[at].meta["at"])
                self.problems.append(tree.TextProblem(place, tokens[at].content))
                at += 1
                continue
            node = self._node(tokens[at], tokens[at + 1 : end], origins)
            if isinstance(node, tree.Text) and nodes and isinstance(nodes[-1], tree.Text):
                nodes[-1] = tree.Text(nodes[-1].text + node.text)
            elif node != tree.Text(""):
                nodes.append(node)
            at = end + 1
        return tuple(nodes)

    def _node(
        self, token: Token, inner: list[Token], origins: Origins
    ) -> tree.Inline | tree.MathBlock:
        at = token.meta.get("at", 0)
        match token.type:
            case "text" | "text_special":
                return tree.Text(token.content)
            case "softbreak":
                return tree.Text(" ")
            case "hardbreak":
                return tree.Break()
            case "em_open" | "strong_open":
                return tree.Emphasis(
                    _flat(self._inlines(inner, origins)), token.type == "strong_open"
                )
            case "code_inline":
                start = at + len(token.markup)
                text, spans, _ = self._verbatim(token.content, origins, start, tex=False)
                return tree.Code(text, spans)
            case "math_inline":
                tex, spans, offset = self._verbatim(token.content, origins, at + 1, tex=True)
                return tree.Math(tex, offset, spans)
            case "math_double":
                lead = len(token.content) - len(token.content.lstrip())
                tex, spans, offset = self._verbatim(
                    token.content.strip(), origins, at + 2 + lead, tex=True
                )
                return tree.MathBlock(tex, offset, spans)
            case "link_open":
                return self._link(token, inner, origins)
            case "image":
                return self._image(token, origins.at(at))
            case "gap_open":
                children = _flat(self._inlines(inner, origins))
                return tree.Gap(token.meta["number"], children, token.meta["hint"])
            case _:
                raise AssertionError(f"a token that closedbook does not know: {token.type}")

    def _link(self, token: Token, inner: list[Token], origins: Origins) -> tree.Link:
        url = str(token.attrs["href"])
        try:
            scheme = urlsplit(url).scheme.lower()
        except ValueError:
            scheme = ""
        if scheme not in _SCHEMES:
            self.problems.append(
                tree.TextProblem(
                    origins.at(token.meta["at"]),
                    f"this is read as a link to {url!r}; links go to http, https or mailto "
                    r"(put code in backticks, or write \[ for a plain bracket)",
                )
            )
        return tree.Link(_flat(self._inlines(inner, origins)), url)

    def _image(self, token: Token, offset: int) -> tree.Image:
        path = unquote(str(token.attrs["src"]))
        alt = _plain(token.children or []).strip()
        if not alt:
            self.problems.append(
                tree.TextProblem(
                    offset,
                    f"the figure {path!r} has no text for those who cannot see it: "
                    f"write ![what it shows]({path})",
                )
            )
        return tree.Image(path, alt, offset)


def _closing(tokens: Sequence[Token], at: int) -> int:
    """The index of the token that closes ``tokens[at]``; itself where it opens nothing."""
    depth = 0
    for index in range(at, len(tokens)):
        depth += tokens[index].nesting
        if depth == 0:
            return index
    raise AssertionError("unbalanced tokens")


def _paragraphs(inlines: tuple[tree.Inline | tree.MathBlock, ...]) -> list[tree.Block]:
    """A paragraph, split where ``$$…$$`` stands in it."""
    blocks: list[tree.Block] = []
    run: list[tree.Inline] = []
    for node in inlines:
        if isinstance(node, tree.MathBlock):
            blocks += _paragraph(run)
            blocks.append(node)
            run = []
        else:
            run.append(node)
    return blocks + _paragraph(run)


def _paragraph(run: list[tree.Inline]) -> list[tree.Block]:
    if run and isinstance(run[0], tree.Text):
        run[0] = tree.Text(run[0].text.lstrip(" "))
    if run and isinstance(run[-1], tree.Text):
        run[-1] = tree.Text(run[-1].text.rstrip(" "))
    kept = tuple(node for node in run if node != tree.Text(""))
    return [tree.Paragraph(kept)] if kept else []


def _flat(inlines: tuple[tree.Inline | tree.MathBlock, ...]) -> tuple[tree.Inline, ...]:
    """Inlines only: maths set apart cannot stand in headings, cells and emphasis."""
    return tuple(
        tree.Math(node.tex, node.offset, node.gaps) if isinstance(node, tree.MathBlock) else node
        for node in inlines
    )


def _plain(tokens: Sequence[Token]) -> str:
    parts = []
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type in ("braces", "fault"):
            continue
        elif token.type == "image":
            parts.append(_plain(token.children or []))
        else:
            parts.append(token.content)
    return "".join(parts)
