"""Points are exact fractions: shared out, added up and printed without rounding."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm

QUARTER = Fraction(1, 4)

_SLASH = "\N{FRACTION SLASH}"
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
_VULGAR = {
    Fraction(1, 4): "¼",
    Fraction(1, 2): "½",
    Fraction(3, 4): "¾",
    Fraction(1, 3): "⅓",
    Fraction(2, 3): "⅔",
}


@lru_cache(maxsize=1024)
def format_points(points: Fraction) -> str:
    """``3``, ``2½``: the whole number, and the rest as one small fraction, whatever it is."""
    whole, rest = divmod(points, 1)
    if not rest:
        return str(whole)
    above, below = str(rest.numerator).translate(_RAISED), str(rest.denominator).translate(_LOWERED)
    small = _VULGAR.get(rest) or f"{above}{_SLASH}{below}"
    return f"{whole}{small}" if whole else small


def points_text(points: Fraction) -> str:
    """``½ point``, ``1 point``, ``2½ points``."""
    return f"{format_points(points)} {'point' if points <= 1 else 'points'}"


def minutes_text(minutes: int) -> str:
    """``1 minute``, ``45 minutes``."""
    return f"{minutes} {'minute' if minutes == 1 else 'minutes'}"


def split(
    total: Fraction, stated: Sequence[Fraction | None]
) -> tuple[tuple[Fraction, ...] | None, str]:
    """Share ``total`` over the parts of a question; their sum is ``total`` exactly.

    ``stated`` holds what the card itself gives a part, None where it gives nothing. Where every
    part has points of its own, they are weights, scaled to ``total``. Otherwise the rest is
    shared equally, in steps of a quarter point, or else in half points with the larger shares
    first. Returns ``(None, reason)`` where no such shares exist.
    """
    given = sum((points for points in stated if points is not None), Fraction(0))
    free = sum(points is None for points in stated)
    if not free:
        return _scaled(total, [points for points in stated if points is not None], given)
    rest = total - given
    if rest <= 0:
        return None, (
            f"{format_points(total)} cannot be shared out: the parts that state their points take "
            f"{format_points(given)}, and nothing is left for the other {free}"
        )
    shares, reason = _shared(rest, free)
    if shares is None:
        return None, reason
    left = iter(shares)
    return tuple(next(left) if points is None else points for points in stated), ""


def _scaled(
    total: Fraction, weights: list[Fraction], given: Fraction
) -> tuple[tuple[Fraction, ...] | None, str]:
    grain = _grain(total)
    shares = tuple(weight * total / given for weight in weights)
    if given == total or all(share % QUARTER == 0 or share % grain == 0 for share in shares):
        return shares, ""
    listed = " + ".join(format_points(weight) for weight in weights)
    return None, (
        f"{format_points(total)} cannot be shared out in the ratio that the card states: "
        f"{listed} = {format_points(given)}, and no scaling of them by "
        f"{format_points(total)}/{format_points(given)} comes out in quarter points"
    )


def _shared(rest: Fraction, parts: int) -> tuple[tuple[Fraction, ...] | None, str]:
    equal = rest / parts
    if equal % QUARTER == 0:
        return (equal,) * parts, ""
    grain = _grain(rest)
    grains = int(rest / grain)
    if grains < parts:
        return None, (
            f"{format_points(rest)} cannot be shared over {parts} parts: "
            f"the smallest share is {format_points(grain)}"
        )
    each, more = divmod(grains, parts)
    return tuple(grain * (each + (index < more)) for index in range(parts)), ""


def _grain(total: Fraction) -> Fraction:
    """Half points, or the unit that the total itself is written in."""
    return Fraction(1, lcm(2, total.denominator))
