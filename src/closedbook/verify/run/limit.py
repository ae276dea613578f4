"""A time limit for each job, within the process that runs it.

On the main thread an alarm raises :class:`TimeUpError` in whatever Python runs; it is raised again
each second for code that swallows it. What never comes back to Python is ended with its whole
process, where that serves jobs alone: a thread of faulthandler, which needs no interpreter lock,
exits it. Off the main thread there are no alarms: :mod:`closedbook.verify.workers.chunk` hands
such a chunk to a process of its own.
"""

from __future__ import annotations

import faulthandler
import math
import os
import signal
import sys
import threading
import time
from typing import Any, TextIO

GRACE = 10.0
"""Seconds between the alarm and the end of the process."""


class TimeUpError(BaseException):
    """The job's time is up. No ``except Exception`` of an experiment catches it."""


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
        self._reports: Any = None

    def __enter__(self) -> Limits:
        self._before = signal.signal(signal.SIGALRM, self._ring)
        self._reports, sys.unraisablehook = sys.unraisablehook, self._unraisable
        return self

    def __exit__(self, *exception: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
        sys.unraisablehook = self._reports
        if self._sink is not None:
            faulthandler.cancel_dump_traceback_later()
            self._sink.close()

    def _ring(self, *_: object) -> None:
        """Raise where a job is late; else ring again when it will be."""
        self._rings = math.inf
        if self._armed:
            left = self._deadline - time.monotonic()
            self._set(left if left > 0 else 1.0)
            if left <= 0:
                raise TimeUpError

    def _unraisable(self, report: sys.UnraisableHookArgs) -> None:
        """Say nothing of an alarm that rang in a destructor: it rings again in a second."""
        if not isinstance(report.exc_value, TimeUpError):
            self._reports(report)

    def _set(self, seconds: float) -> None:
        self._rings = time.monotonic() + seconds
        signal.setitimer(signal.ITIMER_REAL, seconds)

    def start(self, seconds: float) -> None:
        """Raise TimeUpError in whatever runs ``seconds`` from now, unless stopped before.

        A timer that is set already and rings no later than that is left to ring: setting one
        costs as much as a small check.
        """
        if self._own:
            self._arm_exit(seconds)
        self._deadline = time.monotonic() + seconds
        self._armed = True
        if self._rings > self._deadline:
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
        now = time.monotonic()
        if (
            self._sink is not None
            and now + seconds + GRACE <= self._ends <= now + 3 * seconds + GRACE
        ):
            return
        if self._sink is None:
            self._sink = open(os.devnull, "w")  # noqa: SIM115  # faulthandler keeps the file until the chunk's end
        faulthandler.dump_traceback_later(2 * seconds + GRACE, exit=True, file=self._sink)
        self._ends = now + 2 * seconds + GRACE
