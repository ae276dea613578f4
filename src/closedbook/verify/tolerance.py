"""How far an observed number may be from the expected one."""

from __future__ import annotations

from closedbook.model.expect import WIDEST, Equals


def slack(expected: float, want: Equals) -> float:
    """How far off a number may be: at most a tenth of what is expected, unless that is 0.

    Of a stated tolerance reading has seen to that; the usual one would let 5e-10 pass for 2e-16.
    """
    most = want.atol + want.rtol * abs(expected)
    return most if want.stated_tolerance or not expected else min(most, abs(expected) / WIDEST)
