"""A cloze as Moodle's embedded answers: fields within the text, each worth whole points.

The syntax is ``{points:TYPE:=answer}``, with further answers behind ``~``.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from closedbook.export.lms.common import number_text
from closedbook.paper.exam import Quantity

_WIDTH = 16
"""Characters of a field; Moodle keeps no number that is written with more."""
_OWN = frozenset("\\}{#~/\"&<>'=%")
_NO_NUMBER = "-9999999999999.9"


def whole_points(points: Sequence[Fraction]) -> list[int] | None:
    """Whole points with the same total, as near to ``points`` as they can be.

    None where the total is no whole number, or where a gap would be left with nothing.
    """
    total = sum(points)
    shares = [int(share) for share in points]
    most = sorted(range(len(points)), key=lambda at: shares[at] - points[at])
    for at in most[: int(total) - sum(shares)]:
        shares[at] += 1
    return shares if sum(shares) == total and min(shares) > 0 else None


def field(points: int, answer: str, quantity: Quantity | None, longest: int) -> str:
    """The field of a gap: a number within its tolerance, or a text, letter for letter.

    Moodle makes a field as long as its longest answer, which would tell how long the right one is:
    each has a further answer, worth nothing, that gives all of them one length.
    """
    if quantity is not None:
        right = f"{number_text(quantity.value)}:{quantity.tolerance:.15g}"
        return f"{{{points}:NUMERICAL:={right}~%0%{_NO_NUMBER}}}"
    filler = "." * max(_WIDTH, longest)
    return f"{{{points}:SHORTANSWER_C:={_escaped(answer)}~%0%{filler}}}"


def _escaped(answer: str) -> str:
    """The answer with what Moodle or HTML would read as references, and no star as a wildcard."""
    signs = (f"&#{ord(sign)};" if sign in _OWN else sign for sign in answer)
    return "".join(signs).replace("*", "\\*")
