"""What an author wrote for a formula or a template and Markdown reads as text: noted, and told."""

from __future__ import annotations

import re

from markdown_it.rules_inline import StateInline

_LATEX = re.compile(r"\\[A-Za-z]+|[_^]\{|^\s.*\^[A-Za-z0-9]", re.DOTALL)
_BARE = re.compile(r"\\[A-Za-z]+\{|\\\((?=[^`]*?\\[A-Za-z][^`]*?\\\))")
_SPANS = re.compile(r"(`+).*?\1|`.*", re.DOTALL)
_BRACES = re.compile(r"\{\{[^{}]*\}\}|\{%[^{}]*%\}")


def braces(state: StateInline, silent: bool) -> bool:
    """Note braces that are neither code nor maths nor a gap; they stay the text that they are."""
    match = _BRACES.match(state.src, state.pos, state.posMax)
    if match is None or silent:
        return False
    token = state.push("braces", "", 0)
    token.content = match[0]
    token.meta["at"] = state.pos
    state.pending += "{"
    state.pos += 1
    return True


def bare(state: StateInline, silent: bool) -> bool:
    """Tell LaTeX that stands outside of dollars, once a paragraph; it stays the text that it is."""
    match = None if silent else _BARE.match(state.src, state.pos, state.posMax)
    if match is not None and not _told(state):
        token = state.push("fault", "", 0)
        token.content = "a formula stands between dollars: write $…$ around it"
        token.meta["at"] = state.pos
    return False


def _told(state: StateInline) -> bool:
    return any(token.type == "fault" for token in state.tokens)


def suspect(state: StateInline, start: int, begin: int, end: int, mark: str) -> None:
    """Tell dollars that are text around what can only be LaTeX, once a paragraph."""
    src = state.src
    inside = src[begin : end if end > 0 else state.posMax]
    # code in the same paragraph may hold any of it
    found = _LATEX.search(_SPANS.sub(" ", inside))
    if found is None or _told(state):
        return
    plain = r"a plain dollar is \$"
    if end < 0:
        fault = f"no {mark} closes the formula that begins here"
    elif "`" in inside:
        fault = "a formula holds no backticks: write \\mathtt{…} for what is code"
    elif mark == "$" and digit_at(src, start - 1, end + 1):
        fault = "a digit right at a dollar makes it a price: take the digit into the formula"
    elif inside[0].isspace() or inside[-1].isspace():
        fault = "a formula touches its dollars: write $x$, and not $ x $"
        if _LATEX.search(_SPANS.sub(" ", src[end + 1 : state.posMax])):
            plain = f"is a dollar missing? {plain}"
    else:
        fault = r"this holds words and is read as prose: write them as \text{…} within the formula"
    token = state.push("fault", "", 0)
    token.content = f"{fault} ({plain})"
    token.meta["at"] = start


def digit_at(src: str, *indices: int) -> bool:
    """Whether a digit stands at any of these places."""
    return any(0 <= index < len(src) and src[index].isdigit() for index in indices)
