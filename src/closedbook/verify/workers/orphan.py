"""No process of a run outlives it, however it ended: no worker, and none that a check started."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import select
import signal
import sys
from collections.abc import Collection, Iterator
from pathlib import Path

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 10
"""How often the processes are looked through, one of which may start another meanwhile."""


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


def mute(*streams: int) -> None:
    """Have these streams of this process lead nowhere: a child of it could hold the user's open."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in streams:
        os.dup2(nowhere, stream)
    if nowhere not in streams:
        os.close(nowhere)


def adopt_orphans() -> None:
    """Become the parent of what processes started that were started here, once those ended.

    Elsewhere than on Linux nothing is done.
    """
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def die_with_parent() -> None:
    """Have the kernel end this process, a fork of its parent's only thread, when that ends."""
    parent = os.getppid()
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it was gone before
        os._exit(1)


def _prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def end_descendants(process: int, spare: Collection[int] = ()) -> None:
    """Kill what descends from a process, but for ``spare`` and what descends from these.

    A child of this very process is also waited for. Elsewhere than on Linux nothing is done.
    """
    for _ in range(_ROUNDS):
        found = [child for child in _descendants(process, spare) if _runs(child)]
        for child in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        if process == os.getpid():
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, 0 if found else os.WNOHANG)[0]:
                    pass
        if not found:
            return


def _descendants(process: int, spare: Collection[int]) -> Iterator[int]:
    for file in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            children = [int(child) for child in file.read_text().split()]
        except OSError:
            continue  # it ended meanwhile
        for child in children:
            if child not in spare:
                yield child
                yield from _descendants(child, spare)


def _runs(process: int) -> bool:
    """Whether a process has not ended, even if nobody has taken note of its end."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
