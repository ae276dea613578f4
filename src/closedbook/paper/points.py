"""Points are exact fractions: shared out, added up and printed without rounding."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

QUARTER = Fraction(1, 4)

_VULGAR = {
    Fraction(1, 4): "¼",
    Fraction(1, 2): "½",
    Fraction(3, 4): "¾",
    Fraction(1, 3): "⅓",
    Fraction(2, 3): "⅔",
}


def format_points(points: Fraction) -> str:
    """``3``, ``2½``, ``5/7``: whole numbers, then the fractions that have a sign of their own."""
    whole, rest = divmod(points, 1)
    if not rest:
        return str(whole)
    if rest in _VULGAR:
        return f"{whole}{_VULGAR[rest]}" if whole else _VULGAR[rest]
    return f"{points.numerator}/{points.denominator}"


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
