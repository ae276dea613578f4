"""The rules that a drawn card is read against, and their findings' places in the author's text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from closedbook.model.bank import DrawnCard, Generator
from closedbook.model.origin import Loc
from closedbook.verify.rules.choices import check_options
from closedbook.verify.rules.claims import check_claims
from closedbook.verify.rules.finding import Finding
from closedbook.verify.rules.names import check_names
from closedbook.verify.rules.numbers import check_numbers

_FILLED = re.compile(r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}", re.DOTALL)


def check_card(
    drawn: DrawnCard, generators: Mapping[str, Generator]
) -> Iterator[tuple[Finding, int | None]]:
    """Every finding of every rule, with its offset into the text that the author wrote."""
    for findings in (
        check_claims(drawn),
        check_options(drawn),
        check_numbers(drawn, generators),
        check_names(drawn, generators),
    ):
        for finding in findings:
            yield finding, _as_written(drawn, finding)


def _as_written(drawn: DrawnCard, finding: Finding) -> int | None:
    if finding.offset is None or not drawn.draw:
        return finding.offset
    template, filled = text_at(drawn.card.content, finding.loc), text_at(drawn.content, finding.loc)
    if template is None or filled is None:
        return None
    return offset_in_template(template, filled, finding.offset)


def text_at(content: Any, loc: Loc) -> str | None:
    """The text of a card at a place of it."""
    for part in loc:
        if isinstance(part, int):
            content = content[part] if part < len(content) else None
        else:
            content = getattr(content, part, None)
    return content if isinstance(content, str) else None


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
