"""Reads whether an attempt is plain PyTorch, so that it cannot reach what observes it.

Some points rest on what the sandboxed process says of itself (which tensors were saved, what is
still alive). The attempt's code runs in that same process. So the grader reads the attempt first,
here, outside: only names, modules and attributes that are listed in
:mod:`closedbook.grade.text.names` may be used. An attempt that steps outside is still run and shown
what was observed, but no point is given on its word.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from closedbook.grade.text.breach import Breach
from closedbook.grade.text.lookup import Lookup
from closedbook.grade.text.rules import TABLE
from closedbook.grade.text.rules.statements import dunders


def breaches(tree: ast.Module) -> list[Breach]:
    """Every step outside the plain language, in the order of lines."""
    return sorted(set(_found(Lookup(tree))))


def _found(file: Lookup) -> Iterator[Breach]:
    for node in file.nodes:
        rule = TABLE.get(type(node))
        if rule is not None:
            yield from rule(file, node)
        yield from dunders(file, node)
