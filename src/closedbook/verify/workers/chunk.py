"""The running side's one door: a chunk of jobs in, an outcome for each out.

Importing this module does not import torch; the first chunk does.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from closedbook.verify.job import Job, Outcome, Setup
from closedbook.verify.run.limit import on_main_thread

SPOILT = 75
"""The exit code of a worker in which a check has changed what cannot be put back."""


def run_chunk(setup: Setup, jobs: Sequence[Job]) -> list[Outcome]:
    """Run ``jobs`` in this process; the outcomes stand in the order of the jobs.

    A job's outcome depends on its own run and on the bank's sources alone: not on the other
    jobs, their order, or the process. Jobs with equal ``run`` and ``arguments`` share one run.
    Off the main thread, where no alarm can end a hanging job, the chunk runs in a process of
    its own instead. Nothing that a bank does is raised here.
    """
    if not on_main_thread():
        from closedbook.verify.workers.isolate import run_apart

        return run_apart(setup, jobs)
    from closedbook.verify.run.jobs import run_jobs

    # Whoever sent the chunk then runs its jobs in a process each.
    spoilt = partial(os._exit, SPOILT) if setup.own_process else None
    outcomes: dict[int, Outcome] = dict(run_jobs(setup, jobs, spoilt=spoilt))
    return [outcomes[index] for index in range(len(jobs))]
