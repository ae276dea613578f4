"""The small print at the foot of an answer: which programs ran, and where to read on.

It holds nothing that changes while the card does not: no version, no line number, no measured
digits. A new torch must not touch every note.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from closedbook.model.bank import Generator
from closedbook.model.claim import Claim
from closedbook.model.expect import (
    Equals,
    Expectation,
    Formula,
    Gradcheck,
    Raises,
    Text,
    Warns,
)
from closedbook.render import escape
from closedbook.verify.verified import VerifiedDraw

_MOST_FACTS = 6
_LONGEST_FACT = 60
_ANY = re.compile(r"\s*(?:\.|\[\\s\\S\])[*+]\??\s*")


def evidence_html(
    verified: VerifiedDraw, claims: Iterable[Claim], references: Iterable[Generator] = ()
) -> str:
    """What ran for ``claims``, each run once with all its facts, and the card's source.

    ``references`` are Functions that the card shows; verify runs gradcheck on every one.
    """
    checked = (
        f'Ran gradcheck on {_code(each.name)} <span class="where">({_text(each.path)})</span>'
        for each in references
    )
    lines = [*_runs(verified, claims), *checked, *_source(verified)]
    if not lines:
        return ""
    return f'<footer class="evidence">{"".join(f"<p>{line}</p>" for line in lines)}</footer>'


def _runs(verified: VerifiedDraw, claims: Iterable[Claim]) -> list[str]:
    runs: dict[tuple[str, str], dict[str, str]] = {}
    for claim in claims:
        evidence = verified.evidence_of(claim)
        if evidence is None or claim.check is None:
            continue
        facts = runs.setdefault((evidence.run, evidence.place.path), {})
        for name, expectation in claim.check.expect.items():
            facts.setdefault(name, words(expectation))
    return [_run(call, path, facts) for (call, path), facts in runs.items()]


def _run(call: str, path: str, facts: dict[str, str]) -> str:
    shown = [f"{_code(name)} {_text(value)}" for name, value in facts.items()]
    if len(shown) > _MOST_FACTS:
        shown[_MOST_FACTS:] = [f"and {len(shown) - _MOST_FACTS} more"]
    observed = f": {', '.join(shown)}" if shown else ""
    return f'Ran {_code(call)}{observed} <span class="where">({_text(path)})</span>'


def release_of(torch: str) -> str:
    """``2.13.0`` for ``2.13.0+cpu``: which build said it must not touch a note."""
    return torch.partition("+")[0]


def words(expectation: Expectation) -> str:
    """An expectation that held, in a few words."""
    match expectation:
        case Equals(text=text):
            said = text
        case Formula(expression):
            said = f"= {expression}"
        case Gradcheck(True):
            said = "passes"
        case Gradcheck(False, None, None):
            said = "fails"
        case Gradcheck(False, output, input):
            ends = (("output", output), ("input", input))
            said = "fails at " + ", ".join(f"{end} {n}" for end, n in ends if n is not None)
        case Text(contains, matches):
            said = _quoted(contains or _readable(matches))
        case Raises(type, contains, matches):
            said = f"{type or ''} {_quoted(contains or _readable(matches))}"
        case Warns(category, contains, matches):
            said = f"{category or ''} {_quoted(contains or _readable(matches))}"
    said = " ".join(said.split())
    return said if len(said) <= _LONGEST_FACT else f"{said[: _LONGEST_FACT - 1]}…"


def _readable(regex: str | None) -> str | None:
    """A regular expression as what a reader sees of it: no anchors, a dot-star as an ellipsis."""
    if regex is None:
        return None
    shown = _ANY.sub(" … ", regex.removeprefix("^").removesuffix("$"))
    return re.sub(r"\\(\W)", r"\1", shown)


def _quoted(text: str | None) -> str:
    return f"“{text}”" if text else ""


def _source(verified: VerifiedDraw) -> list[str]:
    card = verified.drawn.card
    source = card.content.source
    if source is None:
        return []
    name, at = (source, None) if isinstance(source, str) else (source.id, source.at)
    resource = card.unit.info.resources.get(name)
    if resource is None:
        return []
    title = _text(resource.title)
    if resource.url:
        title = f'<a href="{escape.attribute(resource.url, "field")}">{title}</a>'
    # The part of the resource that the unit asks to read stands in the deck's description.
    return [f"Source: {title}{f', {_text(at)}' if at else ''}"]


def _code(text: str) -> str:
    return f"<code>{_text(text)}</code>"


def _text(text: str) -> str:
    return escape.text(text, "field")
