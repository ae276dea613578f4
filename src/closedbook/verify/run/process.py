"""What a run changes of its process and cannot always be put back: the process then ends."""

from __future__ import annotations

import contextlib
import os
import resource
import threading
import time

_LIMITS = tuple(
    sorted({number for name, number in vars(resource).items() if name.startswith("RLIMIT_")})
)
_STREAMS = (0, 1, 2)
_PATIENCE = 0.05
"""Seconds that a thread has to end which an experiment has told to."""


class Standing:
    """Limits, priority, standard streams and threads of this process as this was made."""

    def __init__(self) -> None:
        self._limits = self._limits_now()
        self._priority = os.getpriority(os.PRIO_PROCESS, 0)
        self._streams = list(map(_stream, _STREAMS))
        self._threads = threading.active_count()

    def _limits_now(self) -> list[tuple[int, int]]:
        return [resource.getrlimit(number) for number in _LIMITS]

    def spoilt(self) -> bool:
        """Whether something of it is different, and cannot be put back from here."""
        return (
            (self._limits_now() != self._limits and not self._limits_put_back())
            or (
                os.getpriority(os.PRIO_PROCESS, 0) != self._priority
                and not self._priority_put_back()
            )
            or list(map(_stream, _STREAMS)) != self._streams
            or (threading.active_count() > self._threads and not self._threads_end())
        )

    def _limits_put_back(self) -> bool:
        for number, pair in zip(_LIMITS, self._limits, strict=True):
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(number, pair)
        return self._limits_now() == self._limits

    def _priority_put_back(self) -> bool:
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, self._priority)
        return os.getpriority(os.PRIO_PROCESS, 0) == self._priority

    def _threads_end(self) -> bool:
        ends = time.monotonic() + _PATIENCE
        while threading.active_count() > self._threads and time.monotonic() < ends:
            time.sleep(_PATIENCE / 50)
        return threading.active_count() <= self._threads


def _stream(number: int) -> tuple[int, int] | None:
    """Which file a standard stream is; None where it is closed."""
    try:
        found = os.fstat(number)
    except OSError:
        return None
    return found.st_dev, found.st_ino
