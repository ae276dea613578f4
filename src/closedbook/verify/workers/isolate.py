"""Run jobs in processes of their own: ``isolated`` experiments, and what hung or died elsewhere.

A helper process imports torch once and then forks for each request, so that a process of its own
costs milliseconds. The parent enforces the time limit from outside, so even a loop in C ends. The
helper runs :mod:`closedbook.verify.workers.helper`; it speaks in pickles over its standard streams,
and ends with the process that started it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import select
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from closedbook.verify.job import SLACK, Job, Outcome, Setup
from closedbook.verify.run.limit import LATE, MOST_HANGS, not_run_again
from closedbook.verify.workers.messages import read, write

START = """
import sys
sys.path[:] = {path!r}
from closedbook.verify.workers.helper import main
main()
"""
"""What the helper runs, with the path to look for modules on."""
_START = 60.0
"""Seconds that the helper has to import torch."""


def run_apart(setup: Setup, jobs: Sequence[Job]) -> list[Outcome]:
    """Run ``jobs`` in a process of their own; the outcomes stand in the order of the jobs.

    A job that hangs or takes its process down fails with a message, and the rest goes on in a
    new process.
    """
    outcomes: dict[int, Outcome] = {}
    with _HELPER.lock:
        while True:
            left = [(index, job) for index, job in enumerate(jobs) if index not in outcomes]
            refused = {index: outcome for index, job in left if (outcome := given_up(setup, job))}
            outcomes.update(refused)
            if left := [(index, job) for index, job in left if index not in refused]:
                found = _HELPER.run(setup, left)
                _count(setup, [(jobs[index], outcome) for index, outcome in found.items()])
                outcomes.update(found)
            else:
                return [outcomes[index] for index in range(len(jobs))]


def run_alone(setup: Setup, jobs: Sequence[Job]) -> list[Outcome]:
    """Run jobs that share one run in a process that serves this run alone."""
    return run_apart(replace(setup, alone=True), jobs)


def given_up(setup: Setup, job: Job) -> Outcome | None:
    """The outcome of a job whose run has hung too often in processes of its own; None for others.

    Each of them takes its time limit, and may take a worker with it: a card that varies may bring
    a thousand.
    """
    if _HUNG[_counted(setup, job)] < MOST_HANGS:
        return None
    return Outcome(job.key, holds=False, error=not_run_again(job.run))


def _counted(setup: Setup, job: Job) -> tuple[str, str, str]:
    return str(setup.root), setup.version, job.run


def _count(setup: Setup, found: Sequence[tuple[Job, Outcome]]) -> None:
    """Note which runs were late; the jobs that share one count once."""
    late = [job for job, outcome in found if (outcome.error or "").startswith(LATE)]
    for counted, _ in {(_counted(setup, job), repr(job.arguments)) for job in late}:
        _HUNG[counted] += 1


_HUNG: Counter[tuple[str, str, str]] = Counter()


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
            write(process.stdin, pickle.dumps((setup, jobs)))
            if not _answers(process, _START + sum(job.timeout + SLACK for _, job in jobs)):
                raise EOFError
            found: dict[int, Outcome] = pickle.loads(read(process.stdout))  # noqa: S301  # our own process wrote it
        except (OSError, EOFError, pickle.UnpicklingError):
            self.close()
            index, job = jobs[0]
            text = "the process that was to run this check died, or did not answer"
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
                [sys.executable, "-c", START.format(path=sys.path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # what a check writes there is not for the user
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


def _answers(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Whether the helper says something, or ends, within that time: a check may have stopped it."""
    waiting = select.poll()
    if process.stdout is not None:
        waiting.register(process.stdout.fileno(), select.POLLIN | select.POLLHUP)
    return bool(waiting.poll(seconds * 1000))


def _since(started: float) -> float:
    return time.perf_counter() - started
