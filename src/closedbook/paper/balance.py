"""What a plan shows for its fairness: difficulty, points and what two variants share."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from typing import Any

from closedbook.paper.plan import Plan
from closedbook.paper.points import format_points
from closedbook.verify.verified import VerifiedBank


def balance(verified: VerifiedBank, plan: Plan) -> dict[str, Any]:
    """The manifest's ``balance``.

    ``sections`` gives each section's points and summed difficulty, once where all variants agree
    and as a mapping by variant where they do not (the same cards, dropped by nobody, never do
    that). ``shared`` names each question that stands with equal numbers on several variants, and
    ``draws`` how many different ones its card has.
    """
    cards = {card.card.id: card for card in verified.cards}
    sections = []
    for index, section in enumerate(plan.blueprint.info.sections):
        points: dict[str, Any] = {}
        difficulty: dict[str, Any] = {}
        for label, slots in zip(plan.labels, plan.variants, strict=True):
            here = [slot for slot in slots if slot.section == index]
            points[label] = format_points(sum((slot.points for slot in here), Fraction(0)))
            difficulty[label] = sum(cards[slot.card].card.content.difficulty for slot in here)
        sections.append(
            {"title": section.title, "points": _one(points), "difficulty": _one(difficulty)}
        )
    return {"sections": sections, "shared": _shared(plan, cards)}


def _one(values: dict[str, Any]) -> Any:
    found = set(values.values())
    return found.pop() if len(found) == 1 else values


def _shared(plan: Plan, cards: dict[str, Any]) -> list[dict[str, Any]]:
    where: dict[tuple[str, int], list[str]] = defaultdict(list)
    for label, slots in zip(plan.labels, plan.variants, strict=True):
        for slot in slots:
            where[slot.card, slot.draw].append(label)
    return [
        {"card": card, "draws": len(cards[card].draws), "variants": labels}
        for (card, _), labels in sorted(where.items())
        if len(labels) > 1
    ]
