"""One warm process with torch in it, behind its walls."""

from __future__ import annotations

import json
import secrets
import socket
import subprocess
from collections.abc import Sequence
from typing import Any

from closedbook.grade.printable import clean
from closedbook.grade.sandbox.session import START_SECONDS
from closedbook.grade.sandbox.walls import ENVIRONMENT, command


class SandboxError(Exception):
    """The process that should run attempts could not be started; the message says why."""


class WarmProcess:
    """One process that has imported torch and forks a child for every order."""

    def __init__(self, walls: str | None, hidden: Sequence[str]) -> None:
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
        self._door.settimeout(START_SECONDS)
        try:
            said = self._door.recv(1000)
        except TimeoutError:
            raise SandboxError("Python with torch did not start in the sandbox in time") from None
        if not said:
            _, errors = self._process.communicate()
            last = errors.decode("utf-8", "replace").strip().splitlines()[-1:]
            why = clean(last[0]) if last else "it ended without a word"
            raise SandboxError(f"Python with torch did not start in the sandbox: {why}")
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
