"""A note's fields set into its templates, as Anki does it.

Only what closedbook's own note types use: fields, sections, ``cloze:`` and ``type:``. The tests
hold it against Anki's own renderer.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from closedbook.export.anki.notetypes import NoteType

_TAG = re.compile(r"\{\{([#^/]?)([^{}]+)\}\}")
_GAP = re.compile(r"\{\{c(\d+)::(.*?)(?:::(.*?))?\}\}", re.DOTALL)
_MATHS = re.compile(r"\\\(.*?\\\)|\\\[.*?\\\]", re.DOTALL)
_EMPTY = re.compile(r"(?:\s|</?(?:br|div) ?/?>)*", re.IGNORECASE)


def face(kind: NoteType, values: Mapping[str, str], ordinal: int, *, back: bool) -> str:
    """One side of one card of a note, as HTML. ``ordinal`` counts a cloze's gaps from 0."""
    template = kind.templates[0 if kind.cloze else ordinal]
    text = template.back if back else template.front
    return _fill(text, values, ordinal + 1, back)


def _fill(template: str, values: Mapping[str, str], number: int, back: bool) -> str:
    parts: list[str] = []
    shown = [True]
    at = 0
    for tag in _TAG.finditer(template):
        if all(shown):
            parts.append(template[at : tag.start()])
        at = tag.end()
        sign, name = tag[1], tag[2].strip()
        if sign == "/":
            shown.pop()
        elif sign:
            full = not _EMPTY.fullmatch(values.get(name, ""))
            shown.append(full == (sign == "#"))
        elif all(shown):
            parts.append(_field(name, values, number, back))
    parts.append(template[at:])
    return "".join(parts)


def _field(name: str, values: Mapping[str, str], number: int, back: bool) -> str:
    filters, _, field = name.rpartition(":")
    value = values.get(field, "")
    if filters == "cloze":
        return cloze(value, number, back=back)
    if filters == "type":
        return _typed(value, back)
    return value


def _typed(value: str, back: bool) -> str:
    """The box for a typed answer; behind it what should have been typed."""
    if back:
        return f'<code id="typeans"><span class="typeMissed">{value}</span></code>'
    return '<input type="text" id="typeans" aria-label="Your answer" autocomplete="off">'


def cloze(text: str, number: int, *, back: bool) -> str:
    """A text with gaps, as the card of gap ``number`` shows it."""
    maths = [span.span() for span in _MATHS.finditer(text)]

    def show(gap: re.Match[str]) -> str:
        own, content, hint = int(gap[1]), gap[2], gap[3]
        asked = own == number and not back
        shown = f"[{'...' if hint is None else hint}]" if asked else content
        if any(start < gap.start() < end for start, end in maths):
            return shown
        if own != number:
            return f'<span class="cloze-inactive" data-ordinal="{own}">{content}</span>'
        data = f' data-cloze="{html.escape(content)}"' if asked else ""
        return f'<span class="cloze"{data} data-ordinal="{own}">{shown}</span>'

    return _GAP.sub(show, text)
