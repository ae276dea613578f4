"""One card as it is printed: a paper with this question alone, and its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from fractions import Fraction
from typing import Any

from closedbook.export.exam.data import paper_and_key, variant_figures
from closedbook.export.exam.guards import tall_pieces
from closedbook.export.exam.settings import Settings
from closedbook.export.exam.typeset import SettingError, Typesetter, font_families, read_marks
from closedbook.model.bank import Blueprint, Content
from closedbook.model.blueprint import BlueprintInfo, Section
from closedbook.paper.make import Maker
from closedbook.paper.plan import make_plan
from closedbook.paper.weights import shares, stated_points
from closedbook.verify.verified import VerifiedBank

_MOST_POINTS = 100


class _Pages(Typesetter):
    """The typesetter of exams, which can also draw its pages."""

    def svg(self, data: Mapping[str, Any]) -> list[bytes]:
        """The pages as SVG, after the same checks as :meth:`pdf`."""
        self.pdf(data)
        if tall := tall_pieces(read_marks(self.marks()), data["paper"]):
            self.pdf({**data, "loose": tall})
        pages = self._compiler("paper.typ").compile(format="svg")
        return [pages] if isinstance(pages, bytes) else list(pages or ())


def pages_of(verified: VerifiedBank, card: str, *, key: bool) -> tuple[list[bytes], str]:
    """The pages (SVG) of a paper with this one question, or of its key; or why there are none."""
    try:
        data, figures = _data(verified, card, key=key)
        with closing(_Pages(verified.bank.root)) as setter:
            setter.add_figures(figures)
            return setter.svg(data), ""
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
