"""The draws of a card that varies: all of them, or a seeded sample."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from math import prod
from typing import Any

from closedbook.model.bank import Card, Draw
from closedbook.problem import Problem
from closedbook.source.where import Condition, WhereMistake, parse_where

COUNTED = 100_000
"""Up to this many combinations of values are gone through to count those that ``where`` lets in."""

MAX_VALUES = 10_000
_RANGE = re.compile(r"(-?[0-9]{1,9})\s*\.\.\s*(-?[0-9]{1,9})")
_INT = re.compile(r"-?(0|[1-9][0-9]{0,17})")


class DrawSpace:
    """Every draw of a card, in a fixed order: the last name of ``vary`` runs fastest.

    ``exact`` is False where there are more than :data:`COUNTED` combinations and a ``where``: then
    ``size`` is that of the combinations, of which ``where`` lets an unknown part in.
    """

    def __init__(
        self,
        values: Mapping[str, Sequence[int | str]],
        where: Condition | None = None,
        name: str = "",
    ) -> None:
        self._values = dict(values)
        self._where = where
        self._name = name
        self._combinations = prod(len(column) for column in self._values.values())

    @property
    def exact(self) -> bool:
        """Whether ``size`` is the number of draws, and no upper bound."""
        return self._where is None or self._combinations <= COUNTED

    @cached_property
    def _let_in(self) -> Sequence[int]:
        """The numbers of the combinations that are draws, where they can be counted."""
        if self._where is None:
            return range(self._combinations)
        where = self._where
        return [i for i in range(self._combinations) if where(self._combination(i))]

    @property
    def size(self) -> int:
        """How many draws there are."""
        return len(self._let_in) if self.exact and self._where else self._combinations

    def _combination(self, index: int) -> dict[str, int | str]:
        picked: list[tuple[str, int | str]] = []
        for name, column in reversed(self._values.items()):
            index, rest = divmod(index, len(column))
            picked.append((name, column[rest]))
        return dict(reversed(picked))

    def _fits(self, draw: Draw) -> bool:
        """Whether ``where`` lets a draw in; one that it cannot be calculated for stays out."""
        try:
            return self._where is None or bool(self._where(draw))
        except (TypeError, ZeroDivisionError):
            return False  # a space that can be counted has none: `space_of` has tried them all

    def walk(self) -> Iterator[Draw]:
        """All draws, in the fixed order."""
        for index in range(self._combinations):
            draw = self._combination(index)
            if self._fits(draw):
                yield draw

    def sample(self, n: int, seed: int = 0) -> list[Draw]:
        """``n`` different draws (all of them where there are no more), in the fixed order.

        The same for the same seed and card on every machine and under every hash seed. Fewer
        where ``where`` lets too few in for a thousand tries a draw to find them.
        """
        rng = random.Random(f"{seed}:{self._name}")  # noqa: S311  (a sample of cards is no secret)
        if self.exact:
            if self.size <= n:
                return list(self.walk())
            if self._where is not None:
                return [self._combination(i) for i in sorted(rng.sample(self._let_in, n))]
        taken: dict[int, Draw] = {}
        for _ in range(1000 * n):
            if len(taken) == n:
                break
            index = rng.randrange(self._combinations)
            draw = self._combination(index)
            if index not in taken and self._fits(draw):
                taken[index] = draw
        return [taken[index] for index in sorted(taken)]


def space_of(card: Card) -> tuple[DrawSpace | None, list[Problem]]:
    """The draws of a card, and what is wrong with its ``vary`` and ``where``.

    A card without ``vary`` has one draw, an empty one.
    """
    content, origin = card.content, card.origin
    if content.vary is None:
        if content.where is None:
            return _ONE, []
        problem = origin.problem(("where",), "'where' needs a 'vary'", key=True, card=card.id)
        return None, [problem]
    problems: list[Problem] = []
    values: dict[str, list[int | str]] = {}
    for name, raw in content.vary.items():
        parsed = _values(raw)
        if isinstance(parsed, str):
            problems.append(origin.problem(("vary", name), parsed, card=card.id))
        else:
            values[name] = parsed
    if not content.vary:
        problems.append(origin.problem(("vary",), "'vary' is empty", card=card.id))
    where, found = _where(card)
    problems += found
    if problems:
        return None, problems
    space = DrawSpace(values, where, card.id)
    return (space, []) if where is None else _tried(card, space)


_ONE = DrawSpace({})
"""The space of each card that does not vary."""


def _where(card: Card) -> tuple[Condition | None, list[Problem]]:
    if card.content.where is None:
        return None, []
    try:
        return parse_where(card.content.where, card.content.vary or ()), []
    except WhereMistake as mistake:
        return None, [
            card.origin.problem(("where",), mistake.message, offset=mistake.offset, card=card.id)
        ]


def _tried(card: Card, space: DrawSpace) -> tuple[DrawSpace | None, list[Problem]]:
    """The space, where its condition can be evaluated and lets something in."""
    try:
        if space.size if space.exact else space.sample(1):
            return space, []
        message = "no draw fulfils this condition"
        if not space.exact:
            message = (
                "none of 1,000 draws fulfils this condition, and there are too many to try all: "
                "narrow 'vary', or calculate one value from others in the text"
            )
    except ZeroDivisionError:
        message = "this condition divides by 0 for some draw"
    except TypeError as error:
        message = f"this condition mixes numbers and text: {error}"
    return None, [card.origin.problem(("where",), message, card=card.id)]


def _values(raw: Any) -> list[int | str] | str:
    """The values of one name, or what is wrong with them."""
    if isinstance(raw, str):
        return _range(raw)
    if not isinstance(raw, list):
        return "expected a range such as 2..9, or a list of values"
    if not raw:
        return "this list of values is empty"
    if any(not isinstance(item, str) for item in raw):
        return "the values of a list are numbers or texts"
    if len(raw) > MAX_VALUES:
        return f"more than {MAX_VALUES} values"
    if len(set(raw)) < len(raw):
        twice = next(item for i, item in enumerate(raw) if item in raw[:i])
        return f"the value {twice!r} is listed twice"
    return [int(item) if _INT.fullmatch(item) else item for item in raw]


def _range(raw: str) -> list[int | str] | str:
    match = _RANGE.fullmatch(raw.strip())
    if match is None:
        return f"expected a range such as 2..9, or a list of values, found {raw[:60]!r}"
    low, high = int(match[1]), int(match[2])
    if low > high:
        return f"the range {low}..{high} is empty: its first end is the smaller one"
    if high - low >= MAX_VALUES:
        return f"the range {low}..{high} has more than {MAX_VALUES} values"
    return list(range(low, high + 1))
