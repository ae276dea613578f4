"""The sandbox: what an attempt may use, and the sessions in which it runs."""

from __future__ import annotations

import contextlib
import re
import socket
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from closedbook.grade.sandbox.session import Session
from closedbook.grade.sandbox.walls import bubblewrap, scratch
from closedbook.grade.sandbox.warm import SandboxError, WarmProcess

_ASKS_AUTOGRAD = re.compile(r"gradcheck|\.backward\(|autograd\.grad|\bvjp\b")


@dataclass(frozen=True, slots=True)
class AttemptLimits:
    """What one session of an attempt may use.

    ``wall`` and ``cpu`` in seconds a session, ``total`` in seconds of wall time for all sessions
    of one attempt; ``memory`` in bytes beyond Python and torch, ``file`` in bytes a file,
    ``output`` in bytes printed, ``processes`` counts threads too.
    """

    wall: float = 5.0
    cpu: int = 5
    total: float = 20.0
    memory: int = 512 << 20
    file: int = 8 << 20
    output: int = 1 << 20
    processes: int = 8


@dataclass(frozen=True, slots=True)
class Sessions:
    """The sessions of one attempt, forked from one warm process."""

    sandbox: Sandbox
    _warm: WarmProcess

    @property
    def limits(self) -> AttemptLimits:
        """What a session may use."""
        return self.sandbox.limits

    def prepare(self, source: str) -> None:
        """Spare an attempt that tests itself a second of importing in every one of its sessions."""
        if _ASKS_AUTOGRAD.search(source):
            self._warm.load_late_modules()

    def open(self, seconds: float) -> Session:
        """A fresh process for the attempt, with at most ``seconds`` of wall time."""
        return self.sandbox.order(self._warm, seconds)


class Sandbox:
    """Where attempts run. Use as a context manager; several threads may ask for sessions.

    ``hidden`` folders do not exist for an attempt. ``walls`` and ``namespaces`` are there to be
    turned off where a machine has them and a test wants to see it without.
    """

    def __init__(
        self,
        limits: AttemptLimits | None = None,
        hidden: tuple[Path, ...] = (),
        *,
        walls: bool = True,
        namespaces: bool = True,
    ) -> None:
        self.limits = limits or AttemptLimits()
        self.guards: dict[str, str] = {}
        """Guard -> ``held``, or why it is not. Known after the first session."""
        self._hidden = [str(path.resolve()) for path in hidden]
        self._bubblewrap = bubblewrap() if walls else None
        self._namespaces = namespaces
        self._lock, self._sending = threading.Lock(), threading.Lock()
        self._warm: WarmProcess | None = None

    def __enter__(self) -> Sandbox:
        """Begin importing torch in the warm process; the first session waits for the end of it."""
        self._warm = WarmProcess(self._bubblewrap, self._hidden)
        return self

    def __exit__(self, *_: object) -> None:
        if self._warm is not None:
            self._warm.close()

    @property
    def name(self) -> str:
        """A word that stands in the command line of every process of this sandbox."""
        return self._warm.name if self._warm is not None else ""

    @contextlib.contextmanager
    def sessions(self) -> Iterator[Sessions]:
        """Where one attempt runs, apart from every other."""
        if self._warm is None:
            raise SandboxError("the sandbox is not started")
        with self._lock:
            if not self.guards:
                self._look_around(self._warm)
        if not self._alone:
            yield Sessions(self, self._warm)
            return
        own = WarmProcess(self._bubblewrap, self._hidden)
        try:
            own.greeting()
            yield Sessions(self, own)
        finally:
            own.close()

    def _look_around(self, warm: WarmProcess) -> None:
        """Learn from an empty session which guards this machine grants."""
        greeting = warm.greeting()
        self.guards["bubblewrap"] = "held" if self._bubblewrap else "not held: no usable bwrap"
        with self.order(warm, self.limits.wall):
            pass
        if greeting.get("root") and "namespaces" in self.guards:
            self.guards["processes"] = "not held: the grader runs as root and cannot give it up"

    @property
    def _alone(self) -> bool:
        """Where only bubblewrap parts one attempt from the next, each gets one of its own."""
        return self._bubblewrap is not None and self.guards.get("namespaces") != "held"

    def order(self, warm: WarmProcess, seconds: float) -> Session:
        """A fresh process from a warm one, with at most ``seconds`` of wall time."""
        with self._sending, contextlib.ExitStack() as stack:
            data, data_theirs = socket.socketpair()
            control, control_theirs = socket.socketpair()
            for theirs in (data_theirs, control_theirs):
                stack.callback(theirs.close)
            order = {
                "limits": asdict(self.limits),
                "hidden": self._hidden,
                "scratch": scratch(),
                "covered": self._bubblewrap is not None,
                "namespaces": self._namespaces,
            }
            warm.send(order, [data_theirs.fileno(), control_theirs.fileno()])
        wall = min(seconds, self.limits.wall)
        return Session(data, control, wall, self.limits.cpu, self._note)

    def _note(self, guards: Mapping[str, str]) -> None:
        self.guards.update(guards)
        if self._bubblewrap is not None and guards and guards.get("namespaces") != "held":
            self.guards |= {"network": "held", "file system": "held"}
