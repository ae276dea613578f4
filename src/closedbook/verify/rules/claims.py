"""Rules between a claim's sentence and its check: formulas, silence, quotes, something to show."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from closedbook.model.bank import DrawnCard
from closedbook.model.claim import Check, Claim
from closedbook.model.expect import Equals, Formula, Raises
from closedbook.model.value import Number
from closedbook.verify.rules.finding import Finding
from closedbook.verify.rules.values import segments
from closedbook.verify.tolerance import slack

_SILENT = re.compile(r"\b(?:silent(?:ly)?|in silence|unnoticed)\b", re.IGNORECASE)
RIGHT_NAMES = [
    "right",
    "correct",
    "expected",
    "reference",
    "true",
    "wanted",
    "proper",
    "should",
    "plain",
    "autograd",
    "closed_form",
]
_ABOUT = ("raises", "warns")
"""What tells of a run and is no value that could be wrong."""
_RIGHT = re.compile(rf"(?:^|[._])(?:{'|'.join(RIGHT_NAMES)})(?:[._]|$)")


def check_claims(drawn: DrawnCard) -> Iterator[Finding]:
    """Each claim against its own check."""
    if not drawn.claims and drawn.card.kind != "task":
        yield Finding("check", (), "nothing on this card is shown by a check")
    for claim in drawn.claims:
        if claim.check is None:
            if not claim.unchecked:
                message = "this says something that no check shows (give 'check' or 'expect')"
                yield Finding("check", claim.say_loc or claim.loc, message)
            continue
        if not claim.check.expect and not claim.unchecked:
            yield Finding(
                "check", claim.check.loc, "this check expects nothing, so it shows nothing"
            )
        yield from _formulas(claim, claim.check, drawn)
        if not claim.unchecked:
            yield from _silence(claim, claim.check)


def _formulas(claim: Claim, check: Check, drawn: DrawnCard) -> Iterator[Finding]:
    """A formula that held is the formula that is printed: the claim shows it as code."""
    formulas = [(n, e.expression) for n, e in check.expect.items() if isinstance(e, Formula)]
    if not formulas:
        return
    codes = list(_code(claim.say))
    if not claim.say or claim.role not in ("answer", "claim", "step", "result"):
        # No sentence of its own goes with it: the card's answer side speaks for it.
        texts = (text for _, text, side in drawn.content.texts() if side == "answer")
        codes += [code for text in texts for code in _code(text)]
        codes += [listing.text for listing in drawn.listings.values()]
    for name, expression in formulas:
        shown = (part for code in codes for part in _expressions(code, name))
        if spaceless(expression) not in map(spaceless, shown):
            where = (*check.locs[name], "formula") if name in check.locs else check.loc
            message = (
                f"the formula `{expression}` is checked, but the claim does not show it as code"
            )
            yield Finding("formula", where, message, token=name)


def _code(text: str) -> Iterator[str]:
    for segment in segments(text):
        if segment.kind in ("code", "fence"):
            yield text[segment.start : segment.end]


def _expressions(code: str, fact: str) -> Iterator[str]:
    """A piece of code, its lines, and what its lines return or give to ``fact``.

    What a line gives to another fact, or compares, is no formula of this one.
    """
    yield code
    for line in code.splitlines():
        yield line
        yield line.strip().removeprefix("return ")
        target, sign, value = line.rpartition("=")
        plain = spaceless(target).rstrip("=")
        if sign and not target.endswith(("!", "<", ">")) and _may_name(plain, fact):
            yield value


def _may_name(target: str, fact: str) -> bool:
    """Whether a name on the left of ``=`` can stand for a fact: it is its name, or one of ours."""
    return target == spaceless(fact) or (fact.isidentifier() and not _FACT.fullmatch(target))


_FACT = re.compile(r"(?:output|grad_\w+|returned|saved)(?:\d+|\.\w+)*")
"""What names a fact of a run."""


def spaceless(code: str) -> str:
    """Code without its blanks, to compare with."""
    return "".join(code.split())


def _silence(claim: Claim, check: Check) -> Iterator[Finding]:
    """What goes wrong in silence needs a control: the right value beside the observed one."""
    said = claim.say.casefold()
    if not any(word in said for word in ("silen", "unnoticed")):
        return  # most claims: this is far quicker than the search
    match = _SILENT.search(claim.say)
    if match is None or any(isinstance(e, Raises) for e in check.expect.values()):
        return
    stated = {n: e for n, e in check.expect.items() if isinstance(e, Equals) and n not in _ABOUT}
    seen = {name: e for name, e in stated.items() if not _RIGHT.search(name)}
    right = {name: e for name, e in stated.items() if _RIGHT.search(name)}
    if not any(_apart(one, other) for one in seen.values() for other in right.values()):
        message = f"{match[0]!r} needs a control{_no_control(seen, right)}"
        yield Finding("silence", claim.say_loc, message, match.start())


def _no_control(seen: Mapping[str, Equals], right: Mapping[str, Equals]) -> str:
    """What is wrong with the control that is there; what to write where there is none."""
    for name, one in seen.items():
        for other_name, other in right.items():
            both = f"{name!r} and {other_name!r}"
            if _apart(_exact(one), _exact(other)):
                advice = f"{{value: {other.text}, atol: 0, rtol: 0}}"
                return (
                    f": {both} differ by less than their tolerances allow: "
                    f"state atol and rtol of each, as in {other_name}: {advice}"
                )
            if _kind(_plain(one.value)) == _kind(_plain(other.value)):
                return f" that differs: {both} are expected to be the same"
    if seen and right:
        both = f"{next(iter(seen))!r} and {next(iter(right))!r}"
        return f": {both} are of different kinds, and cannot be compared"
    return (
        ": expect the observed value, and under a name such as 'correct' the right one, "
        "which differs"
    )


def _exact(want: Equals) -> Equals:
    return replace(want, atol=0.0, rtol=0.0)


def _apart(seen: Equals, right: Equals) -> bool:
    """Whether two values of one kind differ, by more than the two tolerances let them."""
    one, other = _plain(seen.value), _plain(right.value)
    if one is None or other is None:
        return one is not other and not isinstance(one, bool) and not isinstance(other, bool)
    return _kind(one) == _kind(other) and _differ(one, other, seen, right)


def _differ(one: Any, other: Any, seen: Equals, right: Equals) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) != len(other) or any(
            _differ(left, right_, seen, right) for left, right_ in zip(one, other, strict=True)
        )
    if not _is_number(one) or not _is_number(other):
        return spaceless(str(one)) != spaceless(str(other))
    if not math.isfinite(one) or not math.isfinite(other):
        return str(float(one)) != str(float(other))
    return bool(abs(one - other) > slack(one, seen) + slack(other, right))


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, Number) else value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _kind(value: object) -> type:
    """What can be compared with each other: a number with the values of a tensor, too."""
    return list if _is_number(value) else type(value)
