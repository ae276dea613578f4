"""Which cards and draws a run looks at."""

from __future__ import annotations

import functools
import hashlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

from closedbook.model.bank import Bank, Card, Draw
from closedbook.source.draws import DrawSpace
from closedbook.verify.options import Options

SEED = 0


class Draws(Sequence[Draw]):
    """The draws of one card that are looked at; made when asked for, and not kept by a run."""

    def __init__(self, space: DrawSpace, limit: int) -> None:
        self._space = space
        self.size = space.size
        self.exact = space.exact
        self.walked = space.exact and self.size <= limit
        self._limit = limit
        self._kept: list[Draw] | None = None
        # Of a space that cannot be counted, a sample may find fewer than it is asked for.
        self._taken = self.size if self.walked else min(limit, self.size)
        if not space.exact:
            self._taken = len(self[:])

    def __len__(self) -> int:
        return self._taken

    def stream(self) -> Iterator[Draw]:
        """Each draw in order, without keeping any."""
        if self.walked:
            return iter(self._space.walk())
        return iter(self._space.sample(self._limit, SEED))

    @overload
    def __getitem__(self, index: int) -> Draw: ...

    @overload
    def __getitem__(self, index: slice) -> list[Draw]: ...

    def __getitem__(self, index: int | slice) -> Draw | list[Draw]:
        if self._kept is None:
            self._kept = list(self.stream())
        return self._kept[index]


@functools.lru_cache(maxsize=16)
def draws_of(space: DrawSpace, limit: int) -> Draws:
    """The draws of a space; those of all cards that do not vary are one object."""
    return Draws(space, limit)


@dataclass(frozen=True, slots=True)
class Part:
    """A card and the draws ``start`` to ``stop`` of it."""

    card: Card
    draws: Draws
    start: int
    stop: int

    def stream(self) -> Iterator[tuple[int, Draw]]:
        """The part's draws with their numbers."""
        return itertools.islice(enumerate(self.draws.stream()), self.start, self.stop)


def chosen(bank: Bank, options: Options) -> list[Card]:
    """The cards that the options ask for, retired ones left out."""
    return [card for card in bank.cards if not card.content.retired and _asked(card, options)]


def _asked(card: Card, options: Options) -> bool:
    if options.units and card.unit.id not in options.units:
        return False
    if options.ids and card.id not in options.ids:
        return False
    if options.paths and not any(_below(card.origin.path, path) for path in options.paths):
        return False
    content = card.content
    text = " ".join((card.id, card.kind, *content.tags, *content.outcome)).casefold()
    return all(word.casefold() in text for word in options.words)


def _below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(f"{folder.rstrip('/')}/") or folder in ("", ".")


def shard(
    parts: Sequence[Part], which: tuple[int, int], cost_of: Callable[[Part], float]
) -> list[Part]:
    """The ``which[0]``-th of ``which[1]`` shares of equal cost.

    Cards lie side by side on a line, in an order that only their ids decide, each as long as its
    draws cost; the line is cut into equal pieces. So shares are even, the same on every machine,
    and a new card moves little but the cuts.
    """
    index, count = which
    ordered = sorted(parts, key=lambda p: hashlib.sha256(p.card.id.encode()).digest())
    costs = [cost_of(part) for part in ordered]
    total = sum(costs) or 1.0
    low, high = total * (index - 1) / count, total * index / count
    taken: list[Part] = []
    at = 0.0
    for part, cost in zip(ordered, costs, strict=True):
        each = cost / max(len(part.draws), 1)
        first = _cut(low, at, each, len(part.draws)) if index > 1 else 0
        last = _cut(high, at, each, len(part.draws)) if index < count else len(part.draws)
        if first < last:
            taken.append(Part(part.card, part.draws, first, last))
        at += cost
    order = {card_part.card.id: n for n, card_part in enumerate(parts)}
    return sorted(taken, key=lambda part: order[part.card.id])


def _cut(mark: float, at: float, each: float, draws: int) -> int:
    """The number of the first draw whose middle lies at or after ``mark``."""
    if not each:
        return 0 if mark <= at else draws
    position = (mark - at) / each
    return min(draws, max(0, int(position + 0.5)))
