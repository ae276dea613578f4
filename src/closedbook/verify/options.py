"""What a run of verify is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

WALK_LIMIT = 2000
"""A space of at most this many draws is walked; of a larger one, this many are sampled."""


@dataclass(frozen=True, slots=True)
class Options:
    """``jobs`` is the number of processes (None: the cores; 0: run in this very process).

    ``paths``, ``units``, ``ids`` and ``words`` choose cards: files or folders relative to the
    bank, unit ids, card ids, and words of which each must stand in a card's id, kind, tags or
    outcomes.
    ``shard`` (1, 4) takes the first quarter of what is chosen. ``draws`` is how many draws of a
    card are looked at. ``executor`` is ``dask://host:port``, or None for processes on this
    machine. ``store`` is the receipts' folder (None: ``build/`` in the bank's folder); ``fresh``
    ignores what it holds.
    """

    jobs: int | None = None
    fresh: bool = False
    draws: int = WALK_LIMIT
    shard: tuple[int, int] | None = None
    paths: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    executor: str | None = None
    store: Path | None = None

    @property
    def whole(self) -> bool:
        """Whether every card is asked for."""
        return not (self.shard or self.paths or self.units or self.ids or self.words)
