"""The way back from a drawn card to what its author wrote, in which every draw is alike."""

from __future__ import annotations

import re
from typing import Any

from closedbook.model.bank import DrawnCard
from closedbook.model.origin import Loc

_FILLED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)


def loc_as_written(drawn: DrawnCard, loc: Loc) -> Loc:
    """A place of a drawn card as a place of the card: ``size {{ n }}`` for the fact ``size 3``.

    Where that cannot be told, the rest of the way stays as it is.
    """
    written, filled = drawn.card.content, drawn.content
    way: list[str | int] = []
    for part in loc:
        name = _name_as_written(written, filled, part)
        written, filled = _below(written, name), _below(filled, part)
        way.append(name)
    return tuple(way)


def offset_as_written(drawn: DrawnCard, loc: Loc, offset: int | None) -> int | None:
    """Where a character of a drawn text comes from; None where no one place can be told."""
    if offset is None or not drawn.draw:
        return offset
    template = text_at(drawn.card.content, loc_as_written(drawn, loc))
    filled = text_at(drawn.content, loc)
    if template is None or filled is None:
        return None
    return offset_in_template(template, filled, offset)


def text_at(content: Any, loc: Loc) -> str | None:
    """The text of a card at a place of it."""
    found = at(content, loc)
    return found if isinstance(found, str) else None


def at(content: Any, loc: Loc) -> Any:
    """What a card has at a place of it; None where there is no such place."""
    for part in loc:
        content = _below(content, part)
    return content


def _below(node: Any, part: str | int) -> Any:
    if isinstance(node, dict):
        return node.get(part)
    if isinstance(part, str):
        return getattr(node, "arguments" if part == "with" else part, None)
    return node[part] if isinstance(node, list | tuple) and part < len(node) else None


def _name_as_written(written: Any, filled: Any, part: str | int) -> str | int:
    """The name of a field that a draw has filled in: the one at its place in the same order."""
    if not (isinstance(written, dict) and isinstance(filled, dict)) or part in written:
        return part
    if part not in filled or len(written) != len(filled):
        return part
    return str(list(written)[list(filled).index(part)])


def offset_in_template(template: str, filled: str, offset: int) -> int | None:
    """Where a character of a filled text comes from; for a filled-in value, its ``{{``.

    None where the template branches, so that no one place can be told.
    """
    pattern, starts, at = "", [], 0
    for match in _FILLED.finditer(template):
        starts += [at, match.start()]
        pattern += f"({re.escape(template[at : match.start()])})(.*?)"
        at = match.end()
    starts.append(at)
    pattern += f"({re.escape(template[at:])})"
    fitted = re.fullmatch(pattern, filled, re.DOTALL)
    if fitted is None:
        return None
    for group, start in enumerate(starts, start=1):
        if fitted.start(group) <= offset < fitted.end(group):
            literal = group % 2 == 1
            return start + (offset - fitted.start(group) if literal else 0)
    return None
