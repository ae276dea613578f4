"""One card as it is printed: a paper with this question alone, and its key."""

from __future__ import annotations

import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from closedbook.export.exam.data import paper_and_key
from closedbook.export.exam.settings import Settings
from closedbook.export.exam.typeset import Typesetter
from closedbook.model.bank import Blueprint
from closedbook.model.blueprint import BlueprintInfo, Section
from closedbook.model.kinds import Content
from closedbook.paper.figures import variant_figures
from closedbook.paper.make import Maker
from closedbook.paper.plan import make_plan
from closedbook.paper.weights import shares, stated_points
from closedbook.render.typst.compiler import SettingError, font_families
from closedbook.verify.verified import VerifiedBank

_MOST_POINTS = 100


def pages_of(verified: VerifiedBank, card: str, *, key: bool) -> tuple[list[str], str]:
    """The pages (SVG) of a paper with this one question, or of its key; or why there are none."""
    try:
        data, figures = _data(verified, card, key=key)
        with Typesetter(verified.bank.root) as setter:
            setter.add_figures(figures)
            setter.paper(json.dumps(data), data["paper"])  # as PDF, for its checks
            return setter.svg(), ""
    except (SettingError, LookupError) as error:
        return [], str(error)


def _data(verified: VerifiedBank, card: str, *, key: bool) -> tuple[dict[str, Any], Sequence[str]]:
    """What the template takes, and the figures. Raises LookupError where there is no such paper."""
    found = verified.card(card)
    if found is None:
        raise LookupError("this card is on no paper")
    section = Section(title="Preview", cards=(card,), points=_worth(found.card.content))
    info = BlueprintInfo(title=card, minutes=10, variants=1, sections=(section,))
    plan, problems = make_plan(verified, Blueprint("preview", info, found.card.origin))
    if plan is None:
        raise LookupError("\n".join(str(problem) for problem in problems))
    variant = Maker(verified, plan).variant(0)
    families = font_families(verified.bank.root / "fonts")
    data = paper_and_key(variant, Settings(), families)[1 if key else 0]
    return data, variant_figures(variant)


def _worth(content: Content) -> Fraction:
    """Three points; where these do not go round, as many as the parts state, or as go round."""
    stated = sum((points for points in stated_points(content) if points is not None), Fraction(0))
    wanted = (Fraction(3), stated, *map(Fraction, range(4, _MOST_POINTS)))
    return next((points for points in wanted if points and shares(content, points)[0]), wanted[0])
