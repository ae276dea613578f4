"""Where chunks of jobs run. The one abstraction is :class:`concurrent.futures.Executor`.

A worker may die of a check (a crash in C, ``os._exit``, a hang beyond Python's reach). Then every
job of the chunks that were under way is run again, one at a time, in a process that serves it
alone: only the culprit is blamed, and the rest goes on.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.forkserver
import multiprocessing.resource_tracker
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, MutableSequence, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from functools import partial
from multiprocessing.process import BaseProcess
from types import ModuleType
from typing import Any, Protocol

from closedbook.verify.job import Job, Outcome, Setup
from closedbook.verify.run.limit import tell
from closedbook.verify.workers.isolate import given_up, run_alone
from closedbook.verify.workers.orphan import end_descendants, end_with_parent, mute
from closedbook.verify.workers.wire import quicken

_PRELOAD = "closedbook.verify.run.preload"
_SPARE = 2
_GLANCE = 0.005
_WATCH = 1.0
"""Seconds between two looks at workers that do not answer."""
_LEAVE = 2.0
"""Seconds that workers have to end by themselves when all is done."""


class Backend(Protocol):
    """An executor, and what is particular to it."""

    width: int
    """How many chunks it runs at a time."""
    deaths: tuple[type[BaseException], ...]
    """What a chunk's future raises when its worker died."""

    def submit(self, setup: Setup, jobs: list[Job]) -> Future[list[Outcome]]:
        """Start a chunk."""
        ...

    def alone(self, setup: Setup, job: Job) -> Outcome:
        """Run one suspect job; a worker that dies of it is an outcome."""
        ...

    def watch(self) -> None:
        """End workers that should have been heard of by now."""
        ...

    def close(self, *, now: bool) -> None:
        """End it; ``now`` without waiting for what is running."""
        ...


def run_chunks(
    backend: Backend, setup: Setup, chunks: Iterable[list[Job]]
) -> Iterator[list[Outcome]]:
    """Run chunks as they come; yield their outcomes as they are done.

    Chunks are drawn only as fast as they are worked off, so memory does not grow with their
    number. An empty chunk only asks for what is done by now.
    """
    quicken()
    flying: dict[Future[list[Outcome]], list[Job]] = {}
    for asked in chunks:
        refused = {job.key: outcome for job in asked if (outcome := given_up(setup, job))}
        chunk = [job for job in asked if job.key not in refused] if refused else asked
        if refused:
            yield list(refused.values())
        if chunk:
            _launch(backend, setup, chunk, flying)
        elif flying:
            yield from _land(backend, setup, flying, timeout=_GLANCE)
        while len(flying) >= backend.width + _SPARE:
            yield from _land(backend, setup, flying)
    while flying:
        yield from _land(backend, setup, flying)


def _launch(
    backend: Backend,
    setup: Setup,
    chunk: list[Job],
    flying: dict[Future[list[Outcome]], list[Job]],
) -> None:
    try:
        flying[backend.submit(setup, chunk)] = chunk
    except backend.deaths as death:
        failed: Future[list[Outcome]] = Future()
        failed.set_exception(death)
        flying[failed] = chunk


def _land(
    backend: Backend,
    setup: Setup,
    flying: dict[Future[list[Outcome]], list[Job]],
    timeout: float | None = None,
) -> Iterator[list[Outcome]]:
    """Wait for a chunk, ``timeout`` seconds at most.

    Where a worker died, the jobs of every chunk that it took along are run again.
    """
    done, _ = wait(flying, timeout or _WATCH, return_when=FIRST_COMPLETED)
    while not done and timeout is None:
        backend.watch()
        done, _ = wait(flying, _WATCH, return_when=FIRST_COMPLETED)
    suspects: list[Job] = []
    for future in done:
        chunk = flying.pop(future)
        try:
            yield future.result()
        except backend.deaths:
            suspects += chunk
    for job in suspects:
        yield [backend.alone(setup, job)]


class Inline:
    """Runs chunks in this very process, as they are submitted: nothing survives a crash."""

    width = 1
    deaths: tuple[type[BaseException], ...] = ()

    def submit(self, setup: Setup, jobs: list[Job]) -> Future[list[Outcome]]:
        """Run the chunk, here and now."""
        from closedbook.verify.workers.chunk import run_chunk

        future: Future[list[Outcome]] = Future()
        future.set_result(run_chunk(setup, jobs))
        return future

    def alone(self, setup: Setup, job: Job) -> Outcome:
        """Run one job like any other."""
        return self.submit(setup, [job]).result()[0]

    def watch(self) -> None:
        """There is nothing to watch."""

    def close(self, *, now: bool) -> None:
        """There is nothing to end."""


class Processes:
    """Worker processes on this machine.

    They are forked from one server process that has imported torch, so that it is imported once,
    and this process never does.
    """

    deaths: tuple[type[BaseException], ...] = (BrokenProcessPool,)

    def __init__(self, jobs: int) -> None:
        self.width = jobs
        self._context = multiprocessing.get_context("forkserver")
        self._pool: ProcessPoolExecutor | None = None
        self._others = set(multiprocessing.active_children())
        self._due: Sequence[float] = ()

    def submit(self, setup: Setup, jobs: list[Job]) -> Future[list[Outcome]]:
        """Start a chunk; a pool that broke is replaced."""
        if self._pool is None:
            self._pool = self._make(self.width)
        with _no_main():
            try:
                return self._pool.submit(work, replace(setup, own_process=True), jobs)
            except BrokenProcessPool:
                self._drop(self._pool)
                self._pool = self._make(self.width)
                return self._pool.submit(work, replace(setup, own_process=True), jobs)

    def alone(self, setup: Setup, job: Job) -> Outcome:
        """Run one job in a process that runs nothing else; its death is the job's."""
        return run_alone(setup, [job])[0]

    def _make(self, width: int) -> ProcessPoolExecutor:
        start_server()
        self._due = due = self._context.RawArray("d", width)
        taken = self._context.Value("i", 0)
        return ProcessPoolExecutor(
            width, mp_context=self._context, initializer=_settle, initargs=(due, taken)
        )

    def watch(self) -> None:
        """Kill the workers where one of them is overdue: it was stopped, or hears no alarm."""
        now = time.monotonic()
        if any(0 < due < now for due in self._due):
            self._due = ()
            self._kill()

    def _kill(self) -> set[BaseProcess]:
        """Kill our workers, in whatever state they are, and say which these were."""
        children = set(multiprocessing.active_children()) - self._others
        for child in children:
            child.kill()
        return children

    def _drop(self, pool: ProcessPoolExecutor) -> None:
        self._kill()
        pool.shutdown(wait=False, cancel_futures=True)

    def close(self, *, now: bool) -> None:
        """End the workers; ``now`` kills them whatever they are at."""
        pools = [] if self._pool is None else [self._pool]
        children = set(multiprocessing.active_children()) - self._others
        if not now:
            for pool in pools:
                pool.shutdown(wait=False, cancel_futures=True)
            ends = time.monotonic() + _LEAVE
            for child in children:
                child.join(max(0.0, ends - time.monotonic()))
        self._kill()  # also one that has done its work and waits for a thread of the bank's
        _end_what_is_left({child.pid or 0 for child in self._others})
        if now:
            _kill_server()
        for pool in pools:
            pool.shutdown(wait=True, cancel_futures=True)
        self._pool = None


def _settle(due: MutableSequence[float], taken: Any) -> None:
    """Let nothing that a worker prints, from C or past Python's streams, get to the user.

    And let it end when the process ends that it works for, which it tells by when it should hear
    of it again.
    """
    end_with_parent()
    mute(0, 1, 2)
    _let_go(multiprocessing.forkserver, "_forkserver", "_forkserver_alive_fd")
    _let_go(multiprocessing.resource_tracker, "_resource_tracker", "_fd")
    with taken:
        place = taken.value % len(due)
        taken.value += 1
    tell(partial(due.__setitem__, place))


def _let_go(module: ModuleType, holder: str, name: str) -> None:
    """Close a pipe at whose end a process of multiprocessing waits for everybody to be gone.

    What a check starts would have it too, and keep that process. A worker has no use for it.
    """
    held = getattr(module, holder, None)
    pipe = getattr(held, name, None)
    if pipe is not None:
        setattr(held, name, None)
        os.close(pipe)


def start_server() -> None:
    """Start the process that imports torch and that workers are forked from; do not wait for it.

    Whoever knows early that checks will run calls this, so that it imports while a bank is read.
    """
    multiprocessing.forkserver.set_forkserver_preload([_PRELOAD])
    # The tracker unblocks Ctrl-C when it starts, so it starts before that is blocked.
    multiprocessing.resource_tracker.ensure_running()
    with _shielded():
        multiprocessing.forkserver.ensure_running()


def work(setup: Setup, jobs: list[Job]) -> list[Outcome]:
    """Run a chunk where it was sent to."""
    from closedbook.verify.workers.chunk import run_chunk

    quicken()
    return run_chunk(setup, jobs)


def _server() -> int | None:
    """The process that workers are forked from. Nothing public tells it."""
    found: int | None = getattr(
        getattr(multiprocessing.forkserver, "_forkserver", None), "_forkserver_pid", None
    )
    return found


def _end_what_is_left(others: set[int]) -> None:
    """End what checks have started and left running: the server has adopted it."""
    if server := _server():
        end_descendants(server, spare=others)


def _kill_server() -> None:
    """End the server process that workers are forked from.

    Nothing public ends one that is still importing torch: it would then fork the workers that
    were asked for, and they would complain that nobody is there.
    """
    if server := _server():
        with contextlib.suppress(ProcessLookupError):
            os.kill(server, signal.SIGKILL)


@contextlib.contextmanager
def _no_main() -> Iterator[None]:
    """Start workers that do not import the program which runs here: they need nothing of it.

    A script that verifies a bank then needs no ``if __name__ == "__main__"``, and nothing that
    it does is done again in each worker.
    """
    program = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = program


@contextlib.contextmanager
def _shielded() -> Iterator[None]:
    """Let what is started here ignore Ctrl-C: this process ends it, and no traceback is shown."""
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


def open_backend(jobs: int | None, address: str | None) -> Backend:
    """The backend that the options ask for. Raises ValueError for an unknown address."""
    if address:
        scheme, _, rest = address.partition("://")
        opener = REMOTE.get(scheme)
        if opener is None or not rest:
            known = ", ".join(f"{name}://host:port" for name in REMOTE)
            raise ValueError(f"no executor is reached by {address!r} (known: {known})")
        return opener(rest)
    if jobs == 0:
        return Inline()
    return Processes(jobs or cores())


def cores() -> int:
    """How many processes can run at a time on this machine."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _open_dask(address: str) -> Backend:
    from closedbook.verify.workers.cluster import Dask

    return Dask(address)


REMOTE: dict[str, Callable[[str], Backend]] = {"dask": _open_dask}
"""Schemes of ``--executor`` and what opens them."""

__all__ = ["Backend", "Executor", "Inline", "Processes", "open_backend", "run_chunks", "work"]
