"""A run's view of the receipts: what is known, what is written, and whether it may be."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from closedbook.model.bank import Bank
from closedbook.problem import Place
from closedbook.verify.job import Outcome
from closedbook.verify.options import Options
from closedbook.verify.receipts.store import NAME, Receipts

_BATCH = 2048


class RunReceipts:
    """The receipts of one run. With ``fresh`` nothing from before is known."""

    def __init__(self, bank: Bank, options: Options) -> None:
        self._bank = bank
        path = (options.store or bank.root / "build") / NAME
        self._store = Receipts(path, fresh=options.fresh)
        self._pending: dict[str, Outcome] = {}
        self._changed = False

    def get(self, keys: Sequence[str]) -> dict[str, Outcome]:
        """What is known of ``keys``."""
        known = {key: self._pending[key] for key in keys if key in self._pending}
        wanted = [key for key in keys if key not in known]
        return known | self._store.get(wanted)

    def put(self, outcomes: Sequence[Outcome]) -> None:
        """Take what held into the store, by and by."""
        for outcome in outcomes:
            if outcome.holds:
                self._pending[outcome.key] = outcome
        if len(self._pending) >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write what is pending, unless the generators have changed below the run."""
        if self._pending and self._sources_stand():
            self._store.put(self._pending.values())
        if not self._changed:
            self._pending.clear()

    def _sources_stand(self) -> bool:
        """Whether the generators are those whose digests the keys hold."""
        for path, digest in self._bank.digests.items():
            if path.startswith("generators/"):
                file = self._bank.root / path
                try:
                    data = (
                        file.read_bytes() if file.is_file() else b""
                    )  # a pipe would be waited for
                except OSError:
                    data = b""
                if hashlib.sha256(data).hexdigest() != digest:
                    self._changed = True
        return not self._changed

    def finish(self) -> None:
        """Write what is left, and drop what nobody has asked for in a long time."""
        self.flush()
        self._store.prune()

    def notes(self) -> list[str]:
        """What a reader should know of the receipts."""
        changed = ["generators changed during the run: no receipts were kept"]
        return list(dict.fromkeys(self._store.notes)) + (changed if self._changed else [])

    def source_line(self, place: Place) -> str | None:
        """A line of one of the bank's files, to show with a problem."""
        try:
            text = (self._bank.root / place.path).read_text(encoding="utf-8-sig")
            return text.splitlines()[place.line - 1]
        except (OSError, UnicodeDecodeError, IndexError):
            return None
