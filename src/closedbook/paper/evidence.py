"""What was observed, in words that fit on a key."""

from __future__ import annotations

from collections.abc import Mapping

from closedbook.verify.verified import Evidence, Fact

MAX_FACT = 120


def fact_text(value: Fact) -> str:
    """A fact as Python would show it, ``-0.0`` as 0, cut where it is too long to read."""
    text = _text(value)
    return text if len(text) <= MAX_FACT else f"{text[: MAX_FACT - 1]}…"


def _text(value: Fact) -> str:
    if isinstance(value, bool) or value is None:
        return str(value)
    if isinstance(value, float):
        return f"{value + 0.0:.10g}"
    if isinstance(value, list):
        return f"[{', '.join(_text(item) for item in value)}]"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {_text(item)}" for name, item in value.items())
    return repr(value) if isinstance(value, str) else str(value)


def fact_lines(evidence: Evidence) -> tuple[tuple[str, str], ...]:
    """Each observed fact's name and its value as text."""
    return tuple((name, fact_text(value)) for name, value in evidence.facts.items())


def once(found: list[Evidence | None]) -> tuple[Evidence, ...]:
    """Each run once, in order, with the facts of all its claims together."""
    runs: dict[tuple[str, str], Evidence] = {}
    for evidence in found:
        if evidence is None:
            continue
        key = (evidence.run, evidence.torch)
        known = runs.get(key)
        facts = {**known.facts, **evidence.facts} if known else evidence.facts
        runs[key] = Evidence(
            evidence.run,
            facts,
            evidence.place,
            evidence.torch,
            evidence.quote or (known.quote if known else None),
        )
    return tuple(runs.values())
