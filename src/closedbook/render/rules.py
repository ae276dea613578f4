"""What is added to CommonMark: ``$maths$``, cloze gaps, and the places of tokens."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from markdown_it import MarkdownIt, rules_inline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from mdit_py_plugins.dollarmath.index import math_block_dollar

from closedbook.model.gaps import ANY_GAP
from closedbook.render import gaps
from closedbook.render.slips import bare, braces, digit_at, suspect

Rule = Callable[[StateInline, bool], bool]
BlockRule = Callable[[StateBlock, int, int, bool], bool]

_GROUP = re.compile(r"\\[A-Za-z]+\s*(\{[^{}]*\})?|[{}]")
_PRICE = re.compile(r"\d(?=.*(?<=\s)[A-Za-z]{2,}(?=\s))", re.DOTALL)


@lru_cache(maxsize=2)
def parser(*, cloze: bool) -> MarkdownIt:
    """CommonMark with tables and maths, without raw HTML; with gaps where ``cloze``.

    Tokens of code, maths, links and images carry ``meta["at"]``, their index in the content of
    the paragraph, heading or cell that they stand in. A token ``fault`` says in its content what
    is wrong with a gap or a dollar; a token ``braces`` stands before ``{{…}}`` or ``{%…%}`` that is
    plain text, which it holds.
    """
    md = MarkdownIt("commonmark", {"html": False}).enable("table")
    md.block.ruler.before(
        "fence",
        "math_block",
        _leaving_nothing(math_block_dollar(allow_labels=False, allow_blank_lines=False)),
        {"alt": ["paragraph", "reference", "blockquote", "list"]},
    )
    md.inline.ruler.before("escape", "math_inline", _placing(_maths))
    md.inline.ruler.at("backticks", _placing(rules_inline.backtick))
    md.inline.ruler.at("link", _placing(rules_inline.link))
    md.inline.ruler.at("image", _placing(rules_inline.image))
    md.inline.ruler.at("autolink", _placing(rules_inline.autolink))
    md.inline.ruler.before("math_inline", "braces", braces)
    md.inline.ruler.before("escape", "bare", bare)
    if cloze:
        md.inline.ruler.before("braces", "gap", _placing(_gap))
    md.validateLink = _any_link  # type: ignore[method-assign]  # judged later, with its place
    return md


def _leaving_nothing(rule: BlockRule) -> BlockRule:
    """``rule``, which pushes its token even when it is only asked whether it would match."""

    def placed(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        known, line = len(state.tokens), state.line
        matches = rule(state, start, end, silent)
        if silent:
            del state.tokens[known:]
            state.line = line
        return matches

    return placed


def _any_link(url: str) -> bool:
    return True


def _placing(rule: Rule) -> Rule:
    """``rule``, leaving the index where it began in the tokens that it makes."""

    def placed(state: StateInline, silent: bool) -> bool:
        start, known = state.pos, len(state.tokens)
        if not rule(state, silent):
            return False
        for token in state.tokens[known:]:
            token.meta.setdefault("at", start)
        return True

    return placed


def _maths(state: StateInline, silent: bool) -> bool:
    """``$…$`` and, within a paragraph, ``$$…$$``.

    The text touches both dollars, holds no backtick, and no digit stands outside right at them,
    so that prices and shell variables stay text. ``$5 and 10$`` stays text as well: what begins
    with a digit and holds a plain word is prose.
    """
    src, start = state.src, state.pos
    if src[start] != "$":
        return False
    mark = "$$" if src.startswith("$$", start) else "$"
    begin = start + len(mark)
    end = _closing(src, begin, state.posMax, mark)
    tex = src[begin:end] if end > 0 else ""
    if not _is_maths(tex, mark) or (mark == "$" and digit_at(src, start - 1, end + 1)):
        # both dollars are text: the second one must not open maths of its own
        if not silent:
            suspect(state, start, begin, end, mark)
            state.pending += mark
        state.pos = begin
        return True
    if not silent:
        token = state.push("math_inline" if mark == "$" else "math_double", "math", 0)
        token.content = tex
        token.markup = mark
    state.pos = end + len(mark)
    return True


def _closing(src: str, at: int, stop: int, mark: str) -> int:
    r"""The index of the closing dollars, -1 where there are none; ``\$`` closes nothing."""
    while at < stop:
        if src[at] == "\\":
            at += 2
        elif src.startswith(mark, at) and at + len(mark) <= stop:
            return at
        else:
            at += 1
    return -1


def _is_maths(tex: str, mark: str) -> bool:
    if not tex.strip() or "`" in tex:
        return False
    if mark == "$$":
        return True
    return not (tex[0].isspace() or tex[-1].isspace()) and not _PRICE.match(_GROUP.sub(" ", tex))


def _gap(state: StateInline, silent: bool) -> bool:
    """``{{c1::text::hint}}`` over whole inlines; code and maths within keep their own braces."""
    match = ANY_GAP.match(state.src, state.pos)
    if match is None or match.end() > state.posMax:
        return False
    start, stop = state.pos, state.posMax
    end, hints, nested = _scan(state, match.end())
    state.pos, state.posMax = start, stop
    fault = _fault(match[1], state.src[match.end() : (hints or [end])[0]], end, hints, nested)
    if fault and not silent:
        token = state.push("fault", "", 0)
        token.content = fault
        token.meta["at"] = nested if nested >= 0 else start
    if end < 0 or "," in match[1]:
        return False
    if not silent:
        state.posMax = hints[0] if hints else end
        state.pos = match.end()
        opening = state.push("gap_open", "", 1)
        opening.meta.update(
            number=int(match[1]), hint=state.src[hints[0] + 2 : end] if hints else None
        )
        state.md.inline.tokenize(state)
        state.push("gap_close", "", -1)
        state.posMax = stop
    state.pos = end + 2
    return True


def _scan(state: StateInline, at: int) -> tuple[int, list[int], int]:
    """Where a gap ends (-1: nowhere), where ``::`` stand in it, where a gap within it begins."""
    src = state.src
    hints: list[int] = []
    first = nested = -1
    depth = 0
    state.pos = at
    while state.pos < state.posMax:
        here = state.pos
        if src.startswith("}}", here):
            if depth <= 0:
                return here, hints, nested
            first = here if first < 0 else first
        inner = ANY_GAP.match(src, here)
        if inner:
            nested = here if nested < 0 else nested
            state.pos = inner.end()
            depth += 2
        elif src.startswith("::", here):
            hints.append(here)
            state.pos = here + 2
        elif src[here] in "{}":
            depth += 1 if src[here] == "{" else -1
            state.pos = here + 1
        else:
            state.md.inline.skipToken(state)
    return first, [hint for hint in hints if hint < first], nested


def _fault(number: str, inner: str, end: int, hints: list[int], nested: int) -> str | None:
    if nested >= 0:
        return gaps.NESTED
    if "," in number:
        return gaps.SEVERAL
    if end < 0:
        return gaps.UNCLOSED
    if not inner.strip():
        return gaps.EMPTY
    if len(hints) > 1:
        return gaps.TWO_HINTS
    return gaps.number_problem(int(number))
