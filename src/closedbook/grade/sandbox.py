"""Warm processes with torch in them, and the sessions that are forked from one."""

from __future__ import annotations

import contextlib
import json
import re
import secrets
import socket
import subprocess
import threading
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from closedbook.grade.session import Session
from closedbook.grade.walls import ENVIRONMENT, bubblewrap, command, scratch

_START_SECONDS = 120.0
_ASKS_AUTOGRAD = re.compile(r"gradcheck|\.backward\(|autograd\.grad|\bvjp\b")


class SandboxError(Exception):
    """The process that should run attempts could not be started; the message says why."""


@dataclass(frozen=True, slots=True)
class Limits:
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


class _Warm:
    """One process that has imported torch and forks a child for every order."""

    def __init__(self, walls: str | None, hidden: list[str]) -> None:
        self.name = secrets.token_hex(8)
        self._complete = False
        self._door, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        fd = theirs.fileno()
        self._process = subprocess.Popen(  # noqa: S603  the command is made here
            command(walls, fd, hidden, self.name),
            pass_fds=[fd],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=ENVIRONMENT,
        )
        theirs.close()

    def greeting(self) -> dict[str, Any]:
        """Wait for the end of the import. Raises :class:`SandboxError`."""
        self._door.settimeout(_START_SECONDS)
        try:
            said = self._door.recv(1000)
        except TimeoutError:
            raise SandboxError("Python with torch did not start in the sandbox in time") from None
        if not said:
            _, errors = self._process.communicate()
            last = errors.decode("utf-8", "replace").strip().splitlines()[-1:]
            raise SandboxError(f"Python with torch did not start in the sandbox: {last}")
        self._door.settimeout(None)
        greeting: dict[str, Any] = json.loads(said)
        return greeting

    def load_late_modules(self) -> None:
        """Import, once, what torch puts off until somebody asks it for a gradient by name."""
        if not self._complete:
            self._complete = True
            self.send({"import": "torch.fx.experimental.symbolic_shapes"}, [])

    def send(self, order: dict[str, Any], fds: list[int]) -> None:
        """Have it fork a supervised child that owns these descriptors."""
        try:
            socket.send_fds(self._door, [json.dumps(order).encode()], fds)
        except OSError as error:
            raise SandboxError(f"the warm process of the sandbox is gone: {error}") from None

    def close(self) -> None:
        """End it and everything below it."""
        self._door.close()
        self._process.kill()
        self._process.wait()
        if self._process.stderr is not None:
            self._process.stderr.close()


@dataclass(frozen=True, slots=True)
class Place:
    """Where the sessions of one attempt come from."""

    sandbox: Sandbox
    _warm: _Warm

    @property
    def limits(self) -> Limits:
        """What a session may use."""
        return self.sandbox.limits

    def prepare(self, source: str) -> None:
        """Spare an attempt that tests itself a second of importing in every one of its sessions."""
        if _ASKS_AUTOGRAD.search(source):
            self._warm.load_late_modules()

    def session(self, seconds: float) -> Session:
        """A fresh process for the attempt, with at most ``seconds`` of wall time."""
        return self.sandbox.order(self._warm, seconds)


class Sandbox:
    """Where attempts run. Use as a context manager; several threads may ask for sessions.

    ``hidden`` folders do not exist for an attempt. ``walls`` and ``namespaces`` are there to be
    turned off where a machine has them and a test wants to see it without.
    """

    def __init__(
        self,
        limits: Limits | None = None,
        hidden: tuple[Path, ...] = (),
        *,
        walls: bool = True,
        namespaces: bool = True,
    ) -> None:
        self.limits = limits or Limits()
        self.guards: dict[str, str] = {}
        """Guard -> ``held``, or why it is not. Known after the first session."""
        self._hidden = [str(path.resolve()) for path in hidden]
        self._bubblewrap = bubblewrap() if walls else None
        self._namespaces = namespaces
        self._lock, self._sending = threading.Lock(), threading.Lock()
        self._warm: _Warm | None = None

    def __enter__(self) -> Sandbox:
        """Begin importing torch in the warm process; the first session waits for the end of it."""
        self._warm = _Warm(self._bubblewrap, self._hidden)
        return self

    def __exit__(self, *_: object) -> None:
        if self._warm is not None:
            self._warm.close()

    @property
    def name(self) -> str:
        """A word that stands in the command line of every process of this sandbox."""
        return self._warm.name if self._warm is not None else ""

    @contextlib.contextmanager
    def place(self) -> Iterator[Place]:
        """Where one attempt runs, apart from every other."""
        if self._warm is None:
            raise SandboxError("the sandbox is not started")
        with self._lock:
            if not self.guards:
                self._look_around(self._warm)
        if not self._alone:
            yield Place(self, self._warm)
            return
        own = _Warm(self._bubblewrap, self._hidden)
        try:
            own.greeting()
            yield Place(self, own)
        finally:
            own.close()

    def _look_around(self, warm: _Warm) -> None:
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

    def order(self, warm: _Warm, seconds: float) -> Session:
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
