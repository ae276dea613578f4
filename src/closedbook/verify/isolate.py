"""Run jobs in processes of their own: ``isolated`` experiments, and what hung or died elsewhere.

A helper process imports torch once and then forks for each request, so that a process of its own
costs milliseconds. The parent enforces the time limit from outside, so even a loop in C ends. The
helper is this module, run by :func:`main`; it speaks in pickles, each after its length, over its
standard streams, and ends with the process that started it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, BinaryIO

from closedbook.verify.job import Job, Outcome, Setup

_LENGTH = struct.Struct(">Q")
_START = "import sys; sys.path[:] = {path!r}; from closedbook.verify.isolate import main; main()"
SLACK = 5.0
"""Seconds beyond a job's time limit before its process is ended from outside."""


def run_apart(setup: Setup, jobs: Sequence[Job]) -> list[Outcome]:
    """Run ``jobs`` in a process of their own; the outcomes stand in the order of the jobs.

    A job that hangs or takes its process down fails with a message, and the rest goes on in a
    new process.
    """
    outcomes: dict[int, Outcome] = {}
    with _HELPER.lock:
        while len(outcomes) < len(jobs):
            left = [(index, job) for index, job in enumerate(jobs) if index not in outcomes]
            outcomes.update(_HELPER.run(setup, left))
    return [outcomes[index] for index in range(len(jobs))]


def run_alone(setup: Setup, jobs: Sequence[Job]) -> list[Outcome]:
    """Run jobs that share one run in a process that serves this run alone."""
    return run_apart(replace(setup, alone=True), jobs)


class _Helper:
    """The parent's side: the helper process, started when first needed."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._process: subprocess.Popen[bytes] | None = None
        self._owner = 0

    def run(self, setup: Setup, jobs: list[tuple[int, Job]]) -> dict[int, Outcome]:
        """Send one request; return the outcomes of the jobs that were finished, one at least."""
        process = self._ensure()
        started = time.perf_counter()
        try:
            _write(process.stdin, pickle.dumps((setup, jobs)))
            found: dict[int, Outcome] = pickle.loads(_read(process.stdout))  # noqa: S301  # our own process wrote it
        except (OSError, EOFError, pickle.UnpicklingError):
            self.close()
            index, job = jobs[0]
            text = "the process that was to run this check died"
            return {index: Outcome(job.key, False, error=text, seconds=_since(started))}
        except BaseException:  # whatever it is, it is raised again
            # an alarm or Ctrl-C came between request and answer: the two no longer match
            self.close()
            raise
        return found

    def _ensure(self) -> subprocess.Popen[bytes]:
        if self._owner != os.getpid():
            self._process = None  # a fork's copy: the helper answers the process that started it
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(  # noqa: S603  # our own interpreter and module
                [sys.executable, "-c", _START.format(path=sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            self._owner = os.getpid()
            atexit.register(self.close)
        return self._process

    def close(self) -> None:
        """End the helper process and what it runs."""
        process, self._process = self._process, None
        if process is None or self._owner != os.getpid():
            return
        for stream in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            process.wait(timeout=SLACK)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


_HELPER = _Helper()


def _write(stream: BinaryIO | Any, data: bytes) -> None:
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def _read(stream: BinaryIO | Any) -> bytes:
    """One message. Raises EOFError where the other side is gone."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return _exactly(stream, length)


def _exactly(stream: BinaryIO | Any, count: int) -> bytes:
    """So many bytes: a raw pipe gives no more at once than it holds."""
    data = bytearray()
    while len(data) < count:
        part = stream.read(count - len(data))
        if not part:
            raise EOFError
        data += part
    return bytes(data)


def _since(started: float) -> float:
    return time.perf_counter() - started


# --- the helper's side


def main() -> None:
    """Serve requests from standard input until it ends."""
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb")
    # What an experiment prints from C must not reach the stream of answers.
    with open(os.devnull, "r+b") as nowhere:
        os.dup2(nowhere.fileno(), 0)
        os.dup2(nowhere.fileno(), 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C ends

    # Imported before the first fork: every fork then has torch, and little garbage to look through.
    from closedbook.verify import run_jobs
    from closedbook.verify.run_care import collect

    del run_jobs
    collect()
    while True:
        try:
            setup, jobs = pickle.loads(_read(requests))  # noqa: S301  # the parent wrote it
        except EOFError:
            return
        found = _forked(setup, jobs, requests.fileno())
        try:
            _write(answers, pickle.dumps(found))
        except BrokenPipeError:
            os._exit(0)  # who asked was interrupted; to close the stream would raise again


def _forked(setup: Setup, jobs: list[tuple[int, Job]], parent: int) -> dict[int, Outcome]:
    """Run the jobs in a fork; where it dies or hangs, its job fails and the rest is left."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _serve(setup, jobs, writer)
    os.close(writer)
    outcomes: dict[int, Outcome] = {}
    started = time.monotonic()
    # Raw: what waited in a buffer of ours would not be seen by the poll, and the job be blamed.
    with os.fdopen(reader, "rb", buffering=0) as answers:
        current = 0
        while len(outcomes) < len(jobs):
            limit = jobs[current][1].timeout + SLACK
            late = not _ready(answers.fileno(), limit, parent, child)
            try:
                if late:
                    raise EOFError
                kind, value = pickle.loads(_read(answers))  # noqa: S301  # our own fork wrote it
            except EOFError:
                seconds = time.monotonic() - started
                index, job = jobs[current]
                outcomes[index] = _ended(job, child, late=late, seconds=seconds)
                return outcomes
            started = time.monotonic()
            if kind == "begins":
                current = value
            else:
                outcomes.update(value)
    os.waitpid(child, 0)
    return outcomes


def _ready(answers: int, seconds: float, parent: int, child: int) -> bool:
    """Wait for the fork; False when it is late. Ends both processes when the parent is gone."""
    ends = time.monotonic() + seconds
    watched = select.poll()
    watched.register(answers, select.POLLIN | select.POLLHUP)
    gone = select.poll()
    gone.register(parent, select.POLLHUP)
    while (left := ends - time.monotonic()) > 0:
        if watched.poll(min(left, 0.5) * 1000):
            return True
        if gone.poll(0):
            os.kill(child, signal.SIGKILL)
            os._exit(1)
    return False


def _ended(job: Job, child: int, *, late: bool, seconds: float) -> Outcome:
    """The outcome of the job at which the fork stopped answering."""
    if late:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if late:
        text = f"took longer than {job.timeout:g} s and was ended with its process"
    elif os.WIFSIGNALED(status):
        text = f"its process died of {signal.Signals(os.WTERMSIG(status)).name}"
    else:
        text = f"its process ended with exit code {os.waitstatus_to_exitcode(status)}"
    return Outcome(job.key, False, error=text, seconds=seconds)


def _serve(setup: Setup, jobs: list[tuple[int, Job]], writer: int) -> None:
    """In the fork: run the jobs, telling of each begin and end; never returns."""
    try:
        with os.fdopen(writer, "wb") as answers:
            from closedbook.verify.run_jobs import run_jobs

            def begins(position: int) -> None:
                _write(answers, pickle.dumps(("begins", position)))

            served = replace(setup, own_process=False)
            for position, outcome in run_jobs(served, [job for _, job in jobs], begins=begins):
                _write(answers, pickle.dumps(("done", {jobs[position][0]: outcome})))
        os._exit(0)
    except BaseException:  # a fork must end here, and never run on
        sys.excepthook(*sys.exc_info())
        os._exit(70)
