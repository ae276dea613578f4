"""The process that forks one for each request of :mod:`closedbook.verify.workers.isolate`."""

from __future__ import annotations

import os
import pickle
import select
import signal
import time
from dataclasses import replace

from closedbook.verify.job import SLACK, Job, Outcome, Setup
from closedbook.verify.run.limit import LATE
from closedbook.verify.workers.messages import read, write
from closedbook.verify.workers.orphan import (
    adopt_orphans,
    die_with_parent,
    end_descendants,
    mute,
)

_LOST = 70
"""The exit code of a fork that cannot tell what it found."""


def main() -> None:
    """Serve requests from standard input until it ends."""
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    answers = os.fdopen(os.dup(1), "wb")
    mute(0, 1, 2)  # what an experiment prints from C must not reach the stream of answers
    adopt_orphans()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C ends

    # Imported before the first fork: every fork then has torch, and little garbage to look through.
    import closedbook.verify.run.jobs  # noqa: F401  # stays in memory
    from closedbook.verify.run.care import collect

    collect()
    while True:
        try:
            setup, jobs = pickle.loads(read(requests))  # noqa: S301  # the parent wrote it
        except EOFError:
            return
        found = _forked(setup, jobs, requests.fileno())
        end_descendants(os.getpid())  # what the experiment started and left
        try:
            write(answers, pickle.dumps(found))
        except BrokenPipeError:
            os._exit(0)  # who asked was interrupted; to close the stream would raise again


def _forked(setup: Setup, jobs: list[tuple[int, Job]], parent: int) -> dict[int, Outcome]:
    """Run the jobs in a fork; where it dies or hangs, its job fails and the rest is left."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        die_with_parent()
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
                kind, value = pickle.loads(read(answers))  # noqa: S301  # our own fork wrote it
            except EOFError:
                seconds = time.monotonic() - started
                index, job = jobs[current]
                outcomes[index] = _ended(job, child, late=late, seconds=seconds)
                return outcomes
            started = time.monotonic()
            if kind == "begins":
                current = value
            elif kind == "ends":
                break
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
        text = f"{LATE} {job.timeout:g} s and was ended with its process"
    elif os.WIFSIGNALED(status):
        text = f"its process died of {signal.Signals(os.WTERMSIG(status)).name}"
    elif os.waitstatus_to_exitcode(status) == _LOST:
        text = "its process could not answer any more: it may have closed files it did not open"
    else:
        text = f"its process ended with exit code {os.waitstatus_to_exitcode(status)}"
    return Outcome(job.key, False, error=text, seconds=seconds)


def _serve(setup: Setup, jobs: list[tuple[int, Job]], writer: int) -> None:
    """In the fork: run the jobs, telling of each begin and end; never returns."""
    try:
        with os.fdopen(writer, "wb") as answers:
            from closedbook.verify.run.jobs import run_jobs

            def begins(position: int) -> None:
                write(answers, pickle.dumps(("begins", position)))

            def spoilt() -> None:
                write(answers, pickle.dumps(("ends", None)))
                os._exit(0)

            served, alone = replace(setup, own_process=False), [job for _, job in jobs]
            for position, outcome in run_jobs(served, alone, begins=begins, spoilt=spoilt):
                write(answers, pickle.dumps(("done", {jobs[position][0]: outcome})))
        os._exit(0)
    except BaseException:  # a fork must end here, and never run on
        os._exit(_LOST)
