"""The running side's one door: a chunk of jobs in, an outcome for each out."""

from __future__ import annotations

from collections.abc import Sequence

from closedbook.verify.job import Job, Outcome, Setup


def run_chunk(setup: Setup, jobs: Sequence[Job]) -> list[Outcome]:
    """Run ``jobs`` in this process; the outcomes stand in the order of the jobs."""
    raise NotImplementedError
