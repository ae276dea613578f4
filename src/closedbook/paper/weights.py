"""What a card's answer is made of, as far as points go."""

from __future__ import annotations

from fractions import Fraction

from closedbook.model.gaps import GAP
from closedbook.model.kinds import Cloze, Content, Derivation, Question, Task, Trap
from closedbook.model.kinds.base import WrittenClaim
from closedbook.paper.points import format_points, split


def stated_points(content: Content) -> list[Fraction | None]:
    """For each part that earns points, in order: what the card gives it, None for a fair share.

    Options are one part, for they are right together or not at all; a cloze has a part a gap; a
    trap has the fault (where the card says why), what is observed, and the mended code.
    """
    if isinstance(content, Question):
        return [claim.points for claim in content.claims] if _by_claims(content) else [None]
    if isinstance(content, Cloze):
        return [None] * len(GAP.findall(content.text))
    if isinstance(content, Derivation):
        own = content.result.points if isinstance(content.result, WrittenClaim) else None
        return [*(step.points for step in content.steps), *([own] if own is not None else [])]
    if isinstance(content, Trap):
        observed = [*(claim.points for claim in content.claims), content.fix.points]
        return [None, *observed] if fault_earns(content) else observed
    broken = [content.broken.points] if content.broken else []
    return [*(point.points for point in content.contract.values()), *broken]


def shares(content: Content, total: Fraction) -> tuple[tuple[Fraction, ...] | None, str]:
    """``total`` shared over the parts of :func:`stated_points`, or None and why it cannot be."""
    stated = stated_points(content)
    if isinstance(content, Task):
        worth = sum((points for points in stated if points is not None), Fraction(0))
        if worth != total:
            return None, (
                f"its contract is worth {format_points(worth)}, which 'cards grade' gives: "
                f"the exam cannot make {format_points(total)} of it"
            )
    return split(total, stated)


def _by_claims(content: Question) -> bool:
    return bool(content.claims) and not content.options


def result_earns(content: Derivation) -> bool:
    """Whether the result has points of its own, beside the steps that lead to it."""
    return isinstance(content.result, WrittenClaim) and content.result.points is not None


def fault_earns(content: Trap) -> bool:
    """Whether saying where the fault lies earns points beside what is observed and the fix."""
    parts = [*(claim.points for claim in content.claims), content.fix.points]
    return content.why is not None and None in parts
