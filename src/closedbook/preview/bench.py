"""The state that the page shows, kept up with the bank's files by a thread of its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from closedbook.model.bank import Bank
from closedbook.preview.site import Site, read_site, verified_site
from closedbook.problem import has_errors
from closedbook.render.check import check_card
from closedbook.verify.verified import VerifiedBank

LOOK_EVERY = 0.4
"""Seconds between two looks at the files."""

_WATCHED = ("cards", "generators", "exams", "fonts")

Stamp = dict[str, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class State:
    """What is shown at one moment. ``to_check`` says that the claims are being checked."""

    version: int = 0
    status: str = "Reading the bank…"
    site: Site = field(default_factory=Site)
    verified: VerifiedBank | None = None
    to_check: bool = False

    @property
    def wrong(self) -> bool:
        """Whether there is a mistake to mend."""
        return has_errors(self.site.problems)


class Bench:
    """Reads the bank when its files change; has its claims checked where ``checks``.

    Two threads: one reads, so that a mistake shows at once; one checks, and what it finds is
    dropped where the files have changed meanwhile.
    """

    def __init__(self, root: Path, *, checks: bool) -> None:
        self._root = root
        self._checks = checks
        self._changed = threading.Condition()
        self._ended = threading.Event()
        self._state = State()
        self._threads = [threading.Thread(target=self._follow, name="reading", daemon=True)]
        if checks:
            self._threads.append(threading.Thread(target=self._check, name="checking", daemon=True))

    def start(self) -> None:
        """Begin to look after the files."""
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Stop looking, and let those who wait go."""
        self._ended.set()
        with self._changed:
            self._changed.notify_all()

    @property
    def ended(self) -> bool:
        """Whether :meth:`end` was called."""
        return self._ended.is_set()

    @property
    def state(self) -> State:
        """The state of now."""
        with self._changed:
            return self._state

    def wait(self, version: int, seconds: float | None = None) -> State:
        """The state, as soon as it is newer than ``version``, or after some seconds."""
        with self._changed:
            self._changed.wait_for(
                lambda: self._state.version > version or self.ended, timeout=seconds
            )
            return self._state

    def _publish(
        self,
        status: str,
        site: Site,
        verified: VerifiedBank | None = None,
        *,
        to_check: bool = False,
        instead_of: int | None = None,
    ) -> None:
        """Make it the state; with ``instead_of`` only where that version is still the newest."""
        with self._changed:
            if instead_of in (None, self._state.version):
                number = self._state.version + 1
                self._state = State(number, status, site, verified, to_check)
                self._changed.notify_all()

    def _follow(self) -> None:
        last: Stamp | None = None
        while not self.ended:
            now = stamp(self._root)
            if now != last:
                last = now
                try:
                    self._read()
                except Exception as bug:  # a bug of ours must not end the watch
                    self._publish(f"The preview itself failed: {bug!r}", self.state.site)
            self._ended.wait(LOOK_EVERY)

    def _read(self) -> None:
        before = self.state.site
        site = read_site(self._root)
        if site.bank is None:
            # the last good cards stay in sight, below the message
            kept = Site(before.bank, before.cards, site.problems, before.media)
            self._publish("The bank cannot be read. Below is what it was.", kept)
        elif has_errors(site.problems):
            self._publish("There are mistakes to mend.", site)
        elif self._checks:
            status = f"{len(site.cards)} cards. Checking what they claim…"
            self._publish(status, site, to_check=True)
        else:
            self._publish(f"{len(site.cards)} cards, nothing checked.", site)

    def _check(self) -> None:
        seen = 0
        while not self.ended:
            state = self.wait(seen)
            seen = state.version
            if state.to_check and state.site.bank is not None:
                try:
                    self._check_bank(state.site, state.site.bank, seen)
                except Exception as bug:  # a bug of ours must not end the watch
                    told = f"The checks could not be run: {bug!r}"
                    self._publish(told, state.site, instead_of=seen)

    def _check_bank(self, site: Site, bank: Bank, version: int) -> None:
        from closedbook.verify import verify_bank

        verified, report = verify_bank(bank, reads=check_card)
        problems = [*site.problems, *report.problems]
        if verified is None:
            failed = Site(site.bank, site.cards, tuple(dict.fromkeys(problems)), site.media)
            self._publish("Some claims do not hold.", failed, instead_of=version)
            return
        status = f"{report.cards} cards, {report.checks:,} checks: all hold."
        self._publish(status, verified_site(verified, problems), verified, instead_of=version)


def stamp(root: Path) -> Stamp:
    """Size and time of every file that the bank is made of."""
    return {str(path): (info.st_mtime_ns, info.st_size) for path, info in _files(root)}


def _files(root: Path) -> Iterator[tuple[Path, os.stat_result]]:
    for name in _WATCHED:
        for path in sorted((root / name).rglob("*")):
            if "__pycache__" in path.parts:
                continue
            try:
                info = path.stat()
            except OSError:  # gone between the listing and the look
                continue
            if path.is_file():
                yield path, info
