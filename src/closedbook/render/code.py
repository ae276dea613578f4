"""Highlighted code: Pygments' tokens with its short classes, cut at gaps."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator
from functools import lru_cache

from pygments.lexer import Lexer
from pygments.lexers import PythonLexer, get_all_lexers, get_lexer_by_name
from pygments.util import ClassNotFound

from closedbook.render import lexing
from closedbook.render.lexing import Piece
from closedbook.render.tree import GapSpan

PLAIN = frozenset({"", "text", "txt", "plain", "plaintext", "none"})
"""Languages that mean: no highlighting."""


@lru_cache(maxsize=64)
def lexer_of(language: str) -> Lexer | None:
    """The lexer of a language; None where Pygments has none, or none is wanted."""
    if language.lower() in PLAIN:
        return None
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


@lru_cache(maxsize=1)
def languages() -> frozenset[str]:
    """Every name that may stand behind a fence."""
    return frozenset(alias for _, aliases, _, _ in get_all_lexers() for alias in aliases) | PLAIN


def pieces(code: str, language: str) -> Iterator[Piece]:
    """The code in highlighted pieces; joined, they are the code again."""
    lexer = lexer_of(language)
    if lexer is None:
        yield "", code
        return
    for kind, value in lexing.pieces(lexer, code):
        own = kind == "nb" and isinstance(lexer, PythonLexer) and value in _names_of(code)
        yield ("n" if own else kind), value


@lru_cache(maxsize=64)
def _names_of(code: str) -> frozenset[str]:
    """The names that Python code gives to values of its own: an argument called ``input``."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in a listing is the author's business
            tree = ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    nodes = list(ast.walk(tree))
    return frozenset(
        {node.arg for node in nodes if isinstance(node, ast.arg)}
        | {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    )


def with_gaps(
    parts: Iterator[Piece],
    gaps: tuple[GapSpan, ...],
    show: Callable[[Piece], str],
    gap: Callable[[GapSpan, str], str],
) -> str:
    """``parts`` shown one by one, with the ranges of ``gaps`` passed through ``gap``."""
    if not gaps:
        return "".join(map(show, parts))
    bounds = [bound for span in gaps for bound in (span.start, span.end)]
    runs: list[list[str]] = [[] for _ in range(len(bounds) + 1)]
    at = 0
    for kind, value in parts:
        for index, bound in enumerate([*bounds, at + len(value)]):
            cut = min(max(bound - at, 0), len(value))
            if cut and index < len(runs):
                runs[index].append(show((kind, value[:cut])))
                value, at = value[cut:], at + cut
    out = []
    for index, run in enumerate(runs):
        shown = "".join(run)
        out.append(gap(gaps[index // 2], shown) if index % 2 else shown)
    return "".join(out)
