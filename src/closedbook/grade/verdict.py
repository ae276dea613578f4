"""What a grading comes to: a mark for each point of the contract, and what led to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a point was lost.

    ``line`` is in the attempt, 0 where it cannot be known. ``case`` describes the inputs of the
    probe (a teacher may hide it). ``trap`` is the id of the card that explains it. ``no_answer``
    says that the attempt failed before the probe could see what it looks at.
    """

    expected: str
    seen: str
    line: int = 0
    case: str = ""
    trap: str | None = None
    no_answer: bool = False


@dataclass(frozen=True, slots=True)
class PointMark:
    """One point of the contract for one class.

    ``withheld`` says that the probe held when it was run, and that no point is given because the
    attempt stepped outside plain PyTorch.
    """

    probe: str
    say: str
    points: Fraction
    earned: Fraction
    function: str
    reason: Reason | None = None
    withheld: bool = False

    @property
    def full(self) -> bool:
        """Whether every point of it was earned."""
        return self.earned == self.points


@dataclass(frozen=True, slots=True)
class Remark:
    """Something worth saying that costs no point by itself."""

    text: str
    line: int = 0


@dataclass(frozen=True, slots=True)
class Grade:
    """The whole verdict on one attempt. ``seed`` draws the same inputs again."""

    task: str
    attempt: str
    marks: tuple[PointMark, ...]
    remarks: tuple[Remark, ...] = ()
    outside: tuple[Remark, ...] = ()
    """Steps outside plain PyTorch: with one of them in the file no point is given."""
    guards: dict[str, str] = field(default_factory=dict)
    printed: str = ""
    seconds: float = 0.0
    seed: int = 0
    torch: str = ""
    source: str = ""

    @property
    def earned(self) -> Fraction:
        """The sum of what was earned."""
        return sum((mark.earned for mark in self.marks), Fraction(0))

    @property
    def points(self) -> Fraction:
        """The sum of what there was to earn."""
        return sum((mark.points for mark in self.marks), Fraction(0))

    @property
    def full(self) -> bool:
        """Whether this is full marks."""
        return self.earned == self.points


def number(value: Fraction) -> str:
    """``3``, ``2.5`` or ``4/3``: exact, as people write points."""
    if value.denominator == 1:
        return str(value.numerator)
    if value.denominator in (2, 4, 5, 8, 10, 20):
        return f"{float(value):g}"
    return f"{value.numerator}/{value.denominator}"
