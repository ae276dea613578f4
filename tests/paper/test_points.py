"""Points are shared out exactly, or not at all."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closedbook.paper.points import format_points, minutes_text, points_text, split

POINTS = st.builds(Fraction, st.integers(1, 60), st.sampled_from([1, 2, 3, 4]))


@given(total=POINTS, stated=st.lists(st.none() | POINTS, min_size=1, max_size=8))
def test_shares_add_up_to_the_total(total: Fraction, stated: list[Fraction | None]) -> None:
    """Whatever a card states, the shares sum to the total exactly and none is zero."""
    shares, reason = split(total, stated)
    if shares is None:
        assert reason
        return
    assert sum(shares) == total
    assert all(share > 0 for share in shares)
    if None in stated:
        assert all(a == b for a, b in zip(stated, shares, strict=True) if a is not None)


@pytest.mark.parametrize(
    ("total", "stated", "shares"),
    [
        ("3", [None, None], "1½ 1½"),
        ("3", [None] * 4, "¾ ¾ ¾ ¾"),
        ("5", [None] * 3, "2 1½ 1½"),
        ("6", [Fraction(2), None, None], "2 2 2"),
        ("6", [Fraction(1), Fraction(2)], "2 4"),
        ("4/3", [None, None], "⅔ ⅔"),
    ],
)
def test_shares_are_what_a_teacher_would_write(
    total: str, stated: list[Fraction | None], shares: str
) -> None:
    """Equal quarters where they come out, else half points with the larger ones first."""
    found, _ = split(Fraction(total), stated)
    assert found is not None
    assert " ".join(map(format_points, found)) == shares


@pytest.mark.parametrize(
    ("total", "stated", "says"),
    [
        ("1", [None] * 3, "1 cannot be shared over 3 parts: the smallest share is ½"),
        ("2", [Fraction(2), None], "nothing is left for the other 1"),
        ("7", [Fraction(1), Fraction(2), Fraction(3)], "1 + 2 + 3 = 6"),
    ],
)
def test_points_that_cannot_be_shared_are_refused_with_numbers(
    total: str, stated: list[Fraction | None], says: str
) -> None:
    """The reason names the numbers that do not go together."""
    shares, reason = split(Fraction(total), stated)
    assert shares is None
    assert says in reason


@pytest.mark.parametrize(
    ("points", "shown"),
    [("84", "84"), ("25/2", "12½"), ("1/2", "½"), ("2/3", "⅔"), ("7/5", "1²\N{FRACTION SLASH}₅")],
)
def test_points_are_printed_as_fractions(points: str, shown: str) -> None:
    """No decimal is rounded: seven times 12½ is 87½, not 84."""
    assert format_points(Fraction(points)) == shown


def test_one_is_not_many() -> None:
    """One minute, one point, and no more than one: half a point."""
    words = [points_text(Fraction(*points)) for points in ((1, 2), (1, 1), (3, 2))]
    assert words == ["½ point", "1 point", "1½ points"]
    assert (minutes_text(1), minutes_text(45)) == ("1 minute", "45 minutes")
