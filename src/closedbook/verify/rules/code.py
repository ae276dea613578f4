"""Code compared with the code that runs, token by token: ``v = 6`` is no part of ``v = 60``."""

from __future__ import annotations

import ast
import re
from functools import lru_cache

_TOKEN = re.compile(r"\d[\w.]*|\w+|[^\w\s]")
_SEPARATOR = "\0"


@lru_cache(maxsize=1024)
def tokens(code: str) -> str:
    """The tokens of a piece of code, each between separators: blanks do not count."""
    found = _TOKEN.findall(code)
    return _SEPARATOR + _SEPARATOR.join(found) + _SEPARATOR if found else ""


@lru_cache(maxsize=1024)
def lines_of(source: str) -> frozenset[str]:
    """The lines of a source, as tokens."""
    return frozenset(map(tokens, source.splitlines()))


@lru_cache(maxsize=1024)
def names_in(source: str) -> frozenset[str]:
    """The names that a definition uses; those in its comments and docstrings are none."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return frozenset()  # a part of a file that is no Python, which is told elsewhere
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return frozenset(names | {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)})
