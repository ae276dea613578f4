"""Chunks on an existing Dask cluster, through its ``concurrent.futures`` face.

The bank's generators travel with each chunk, and the data beside them, so a worker needs neither
the bank nor a shared disk: only closedbook and torch, of the versions that this machine has.
"""

from __future__ import annotations

import hashlib
import tempfile
import threading
from concurrent.futures import Future
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from closedbook.source.files import bank_files
from closedbook.verify.environment import environment
from closedbook.verify.job import Job, Outcome, Setup

_ONE_AT_A_TIME = threading.Lock()


class Dask:
    """A Dask cluster.

    Raises ValueError where ``address`` has no host and port, ModuleNotFoundError without the
    extra, and OSError if it is not there.
    """

    def __init__(self, address: str) -> None:
        _check(address)
        from distributed import Client
        from distributed.scheduler import KilledWorker

        self._client = Client(address, timeout="10s", set_as_default=False)  # type: ignore[no-untyped-call]  # ships no types
        self._executor = self._client.get_executor(pure=False)  # type: ignore[no-untyped-call]  # ships no types
        self.deaths: tuple[type[BaseException], ...] = (KilledWorker,)
        self.width = max(1, len(self._client.scheduler_info(n_workers=-1)["workers"]))
        self._sources: dict[tuple[Path, str], dict[str, bytes]] = {}

    def submit(self, setup: Setup, jobs: list[Job]) -> Future[list[Outcome]]:
        """Send a chunk with the files that it needs."""
        future: Future[list[Outcome]] = self._executor.submit(
            work_remotely, setup, self._sources_of(setup), environment(), jobs
        )
        return future

    def alone(self, setup: Setup, job: Job) -> Outcome:
        """Send one suspect job by itself."""
        try:
            return self.submit(setup, [job]).result()[0]
        except self.deaths:
            return Outcome(
                job.key, holds=False, error="every worker that ran this check died of it"
            )

    def watch(self) -> None:
        """The cluster watches its workers, and each of them the process that runs a chunk."""

    def close(self, *, now: bool) -> None:
        """Leave the cluster; it goes on without us."""
        self._executor.shutdown(wait=not now)
        self._client.close()  # type: ignore[no-untyped-call]  # ships no types

    def _sources_of(self, setup: Setup) -> dict[str, bytes]:
        at = (setup.root, setup.version)
        if at not in self._sources:
            files = bank_files(setup.root)
            self._sources[at] = {
                path.relative_to(setup.root).as_posix(): path.read_bytes()
                for path in (*files.generators, *files.data)
                if path.is_file()  # to open a pipe would wait for ever
            }
        return self._sources[at]


def _check(address: str) -> None:
    """Raise ValueError where there is no host and port: a client would be left half made."""
    try:
        parts = urlsplit(f"//{address}")
        if parts.hostname and parts.port:
            return
        why = "it needs a host and a port"
    except ValueError as error:
        why = str(error)
    raise ValueError(f"dask://{address} cannot be an address: {why} (dask://host:8786)")


class _Copy:
    """The generators of one version, written out once a worker process."""

    def __init__(self, sources: dict[str, bytes]) -> None:
        self._sources = sources

    @cached_property
    def root(self) -> Path:
        """The folder that holds them: in the worker's own, which Dask clears away."""
        from distributed import get_worker

        above = get_worker().local_directory
        root = Path(tempfile.mkdtemp(prefix="closedbook-", dir=above))
        for name, data in self._sources.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return root


_COPIES: dict[str, _Copy] = {}


def work_remotely(
    setup: Setup, sources: dict[str, bytes], wanted: str, jobs: list[Job]
) -> list[Outcome]:
    """Run a chunk on a worker of the cluster.

    One chunk at a time in a process: checks set seeds, warnings filters and default dtypes. A
    worker with other versions refuses: what it observes would not be what receipts say.
    """
    from closedbook.verify.workers.chunk import run_chunk

    if environment() != wanted:
        found = environment().split()
        why = (
            f"the cluster's worker has other versions than this machine: "
            f"Python {found[1]}, torch {found[-1]}, or another closedbook"
        )
        return [Outcome(job.key, holds=False, error=why) for job in jobs]
    digest = hashlib.sha256(repr(sorted(sources.items())).encode()).hexdigest()
    with _ONE_AT_A_TIME:
        copy = _COPIES.setdefault(digest, _Copy(sources))
        return run_chunk(replace(setup, root=copy.root, version=digest), jobs)
