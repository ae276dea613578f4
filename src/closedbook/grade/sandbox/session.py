"""The grader's end of one sandboxed process: ask, wait, say why no answer came."""

from __future__ import annotations

import contextlib
import json
import socket
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from closedbook.grade.sandbox.inside import wire

if TYPE_CHECKING:
    from collections.abc import Sequence

    import torch

START_SECONDS = 120.0
"""Until torch is imported: on a busy machine with a cold disk that takes a minute."""
_END_SECONDS = 30.0
"""Until the supervisor has ended all that the attempt started; it takes moments, if not busy."""
_CONTROL_LIMIT = 65536
"""Bytes that the supervisor may say: several times what two lines with 2000 printed bytes take."""


class NoAnswerError(Exception):
    """The attempt's process gave no usable answer; the message says why, in words for a learner.

    ``silent`` where the time ran out.
    """

    def __init__(self, message: str, *, silent: bool = False) -> None:
        super().__init__(message)
        self.silent = silent


class Session:
    """One process with the attempt in it. Closing it ends the process and all that it started.

    Its ``seconds`` of wall time begin when its supervisor says so: until then a busy machine, or a
    warm process that still imports, is not the attempt's fault.
    """

    def __init__(
        self,
        data: socket.socket,
        control: socket.socket,
        seconds: float,
        cpu: float,
        note: Callable[[Mapping[str, str]], None],
    ) -> None:
        self._data = data
        self._control = control
        self._seconds = seconds
        self._cpu = cpu
        self._began: float | None = None
        self._heard = b""
        self._note = note
        self._said: list[dict[str, Any]] | None = None

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def ask(
        self, header: dict[str, Any], tensors: Sequence[torch.Tensor] = ()
    ) -> tuple[dict[str, Any], list[torch.Tensor]]:
        """Send a request, return the answer. Raises :class:`NoAnswerError`."""
        try:
            self._wait_for_the_start()
            self._data.settimeout(self._left())
            self._data.sendall(wire.pack(header, tensors))
            return wire.read(self._data, self._left)
        except TimeoutError:
            raise NoAnswerError(
                f"no answer within {self._seconds:.2g} s of wall time: an endless loop, or slow",
                silent=True,
            ) from None
        except wire.MalformedError as error:
            raise NoAnswerError(f"what came back is no answer: {error}") from None
        except (EOFError, OSError):
            raise NoAnswerError(self._why_it_ended()) from None

    def _wait_for_the_start(self) -> None:
        """Hear the supervisor's first line, once."""
        if self._began is None:
            self._control.settimeout(START_SECONDS)
            while b"\n" not in self._heard:
                chunk = self._control.recv(65536)
                if not chunk:
                    raise EOFError
                self._heard += chunk
            self._began = time.monotonic()

    @property
    def spent(self) -> float:
        """Seconds of wall time since the start; 0 before it."""
        return 0.0 if self._began is None else time.monotonic() - self._began

    def _left(self) -> float:
        left = self._seconds - self.spent
        if left <= 0:
            raise TimeoutError
        return left

    def printed(self) -> str:
        """The beginning of what the attempt printed; ends the process."""
        return str(self._end().get("output", ""))

    def _why_it_ended(self) -> str:
        end = self._end()
        reason, code = end.get("reason"), end.get("code")
        if reason == "output":
            return "it printed more than the output limit, and was ended"
        if code == -24 or (code == -9 and end.get("cpu", 0) > self._cpu * 0.8):
            return "it used up the CPU time that an attempt has"
        if code == -25:
            return "it wrote a file larger than the file size limit"
        if code == wire.MUTE or (code == -9 and reason == "asked"):
            return "it closed the line on which it should answer, or its process was killed"
        if code == -9:
            return "its process was killed, most likely for want of memory"
        if code == -11:
            return "its process crashed"
        if isinstance(code, int) and code < 0:
            return f"its process was ended by signal {-code}"
        return f"its process ended by itself (exit code {code}) instead of answering"

    def _end(self) -> dict[str, Any]:
        """Close the conversation and hear the supervisor's account of it."""
        if self._said is None:
            self._data.close()
            with contextlib.suppress(OSError):
                self._control.shutdown(socket.SHUT_WR)
            self._said = _lines(self._control, self._heard)
            self._control.close()
            for message in self._said:
                self._note(message.get("guards", {}))
        return self._said[-1] if self._said else {}

    def close(self) -> None:
        """End the process."""
        self._end()


def _lines(control: socket.socket, said: bytes) -> list[dict[str, Any]]:
    """All that the supervisor said; it is no part of the attempt, and gone within moments."""
    control.settimeout(_END_SECONDS)
    with contextlib.suppress(OSError):
        while len(said) < _CONTROL_LIMIT and (chunk := control.recv(65536)):
            said += chunk
    return [json.loads(line) for line in said.splitlines() if line.startswith(b"{")]
