"""Markdown to the small tree of :mod:`closedbook.render.tree`.

CommonMark with tables and ``$maths$``. Raw HTML is text. Links go to http, https and mailto;
an image needs a text that stands for it. In cloze texts ``{{c1::…}}`` makes gaps, also within
code, maths and cells.
"""

from __future__ import annotations

import re
from functools import lru_cache

from closedbook.render.build import Builder
from closedbook.render.rules import parser
from closedbook.render.tree import Document, TextProblem

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\uf8ff\ufffe\uffff]")

_DEEPEST = 40
"""Levels of emphasis, lists and quotations within each other: no text for people has so many."""


def parse(text: str, *, cloze: bool = False) -> tuple[Document, tuple[TextProblem, ...]]:
    """The tree of a Markdown text and what is wrong with it, by offset.

    The tree can be used only where no problem is an error.
    """
    return _read(text, cloze)[:2]


def braces_in(text: str, *, cloze: bool = False) -> tuple[tuple[int, str], ...]:
    """Each ``{{…}}`` and ``{%…%}`` in the prose of a text, and its offset: no code, no formula."""
    return _read(text, cloze)[2] if "{{" in text or "{%" in text else ()


@lru_cache(maxsize=4096)
def _read(
    text: str, cloze: bool
) -> tuple[Document, tuple[TextProblem, ...], tuple[tuple[int, str], ...]]:
    problems = [
        TextProblem(match.start(), f"the character U+{ord(match[0]):04X} cannot be shown")
        for match in _CONTROL.finditer(text)
    ]
    if problems:
        return (), tuple(problems), ()
    tokens = parser(cloze=cloze).parse(text)
    levels = (inner.level for token in tokens for inner in (token, *(token.children or ())))
    if max(levels, default=0) > _DEEPEST:
        return (), (TextProblem(0, "this text is nested too deeply"),), ()
    builder = Builder(text, cloze=cloze)
    document = builder.document(tokens)
    found = sorted(builder.problems, key=lambda problem: problem.offset)
    return document, tuple(found), tuple(builder.braces)
