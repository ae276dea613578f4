"""A time limit for each job, within the process that runs it.

On the main thread an alarm raises :class:`TimeUpError` in whatever Python runs; it is raised again
each second for code that swallows it. What never comes back to Python is ended with its whole
process, where that serves jobs alone: a thread of faulthandler, which needs no interpreter lock,
exits it. Off the main thread there are no alarms: :mod:`closedbook.verify.workers.chunk` hands
such a chunk to a process of its own.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # the public getsignal takes ten times as long
import faulthandler
import math
import os
import signal
import sys
import threading
from collections.abc import Callable
from time import monotonic  # whatever a bank makes of time.monotonic
from typing import Any, TextIO

GRACE = 10.0
"""Seconds between the alarm and the end of the process."""
LATE = "took longer than"
"""How the error of a job begins whose time was up."""
MOST_HANGS = 3
"""A card that varies may run one hanging experiment a thousand times; it is stopped here."""

_tell: Callable[[float], None] | None = None


def tell(told: Callable[[float], None]) -> None:
    """Have ``told`` called with the time by which this process must be heard of again.

    It is called before each job, and with infinity when there is none. Code in this process can
    stop it whole, or take away whatever would end it: only another process can tell.
    """
    global _tell  # a process has one that watches it
    _tell = told


class TimeUpError(BaseException):
    """The job's time is up. No ``except Exception`` of an experiment catches it."""


def not_run_again(run: str) -> str:
    """What is said of a run that is not even tried."""
    return f"not run: {run} took too long {MOST_HANGS} times already"


def from_outside(error: BaseException) -> bool:
    """Whether an exception is none of the bank's: the time limit, or a Ctrl-C for this process.

    Workers do not hear Ctrl-C: a KeyboardInterrupt there is one that the bank raised.
    """
    if isinstance(error, KeyboardInterrupt):
        deaf = signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())
        return not deaf and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    return isinstance(error, TimeUpError)


def on_main_thread() -> bool:
    """Whether alarms can reach the running code."""
    return threading.current_thread() is threading.main_thread()


class Limits:
    """The alarms of one chunk: a context, with :meth:`start` and :meth:`stop` for each job."""

    def __init__(self, *, own_process: bool) -> None:
        self._own = own_process
        self._armed = False
        self._deadline = 0.0
        self._rings = math.inf
        self._ends = 0.0
        self._sink: TextIO | None = None
        self._before: Any = None
        self._handler = self._ring
        self._reports: Any = None

    def __enter__(self) -> Limits:
        self._before = signal.signal(signal.SIGALRM, self._handler)
        self._reports, sys.unraisablehook = sys.unraisablehook, self._unraisable
        return self

    def __exit__(self, *exception: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
        sys.unraisablehook = self._reports
        if self._sink is not None:
            faulthandler.cancel_dump_traceback_later()
            self._sink.close()
        if _tell is not None:
            _tell(math.inf)

    def _ring(self, *_: object) -> None:
        """Raise where a job is late; else ring again when it will be."""
        self._rings = math.inf
        if self._armed:
            left = self._deadline - monotonic()
            self._set(left if left > 0 else 1.0)
            if left <= 0:
                raise TimeUpError

    def _unraisable(self, report: sys.UnraisableHookArgs) -> None:
        """Say nothing of an alarm that rang in a destructor: it rings again in a second."""
        if not isinstance(report.exc_value, TimeUpError):
            self._reports(report)

    def _set(self, seconds: float) -> None:
        self._rings = monotonic() + seconds
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def start(self, seconds: float) -> None:
        """Raise TimeUpError in whatever runs ``seconds`` from now, unless stopped before.

        A timer that is set already and rings no later than that is left to ring: setting one
        costs as much as a small check. So is a handler that is in its place: another may be left
        there by what ran before.
        """
        if self._own:
            self._arm_exit(seconds)
        self._deadline = monotonic() + seconds
        self._armed = True
        if _signal.getsignal(signal.SIGALRM) is not self._handler:
            signal.signal(signal.SIGALRM, self._handler)
        if (
            self._rings > self._deadline
            or not 0 < signal.getitimer(signal.ITIMER_REAL)[0] <= seconds
        ):
            self._set(seconds)

    def stop(self) -> None:
        """Raise nothing from here on."""
        self._armed = False

    def outside(self, seconds: float) -> None:
        """Leave ``seconds`` for a job that another process runs and limits."""
        if self._own:
            self._arm_exit(seconds)

    def _arm_exit(self, seconds: float) -> None:
        """Have the process end if this job hangs; armed anew only where too little time is left."""
        now = monotonic()
        if _tell is not None:
            _tell(now + 2 * seconds + 1.5 * GRACE)
        if (
            self._sink is not None
            and now + seconds + GRACE <= self._ends <= now + 3 * seconds + GRACE
        ):
            return
        if self._sink is None:
            self._sink = open(os.devnull, "w")  # noqa: SIM115  # faulthandler keeps the file until the chunk's end
        faulthandler.dump_traceback_later(2 * seconds + GRACE, exit=True, file=self._sink)
        self._ends = now + 2 * seconds + GRACE
