"""No worker outlives the process that it works for, however that ended."""

from __future__ import annotations

import multiprocessing
import os
import select
import signal
import sys


def end_with_parent() -> None:
    """Have the kernel end this worker when its parent is gone, killed even.

    A worker whose parent was killed waits for work for ever. Its parent holds the other end of a
    pipe; at its close the kernel sends SIGIO, of which a process dies. That needs no thread here,
    so an experiment may fork, and works where a check never comes back to Python. Elsewhere than
    on Linux nothing is done.
    """
    if sys.platform != "linux":
        return
    import fcntl

    parent = multiprocessing.parent_process()
    if parent is None:
        return
    pipe = parent.sentinel
    signal.signal(signal.SIGIO, signal.SIG_DFL)
    fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([pipe], [], [], 0)[0]:  # it was gone before
        os._exit(1)
