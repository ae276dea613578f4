"""Starts the warm process behind bubblewrap, and sessions from it."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from closedbook.grade.inside.jail import SCRATCH
from closedbook.grade.session import Session

INSIDE = Path(__file__).parent / "inside"
_START_SECONDS = 120.0
_SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/etc/ld.so.cache", "/etc/ld.so.conf.d")


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


class Sandbox:
    """A warm process with torch in it, from which sessions are forked. Use as a context manager."""

    def __init__(self, limits: Limits | None = None, hidden: tuple[Path, ...] = ()) -> None:
        self.limits = limits or Limits()
        self.guards: dict[str, str] = {}
        self._hidden = [str(path.resolve()) for path in hidden]
        self._lock = threading.Lock()
        self._door: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._walls = ""

    def __enter__(self) -> Sandbox:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self) -> None:
        """Begin importing torch in the warm process; :meth:`session` waits for the end of it."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._walls = _bubblewrap() or ""
        fd = theirs.fileno()
        self._process = subprocess.Popen(  # noqa: S603  the command is made here
            _command(self._walls, fd),
            pass_fds=[fd],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=_environment(),
        )
        theirs.close()
        self._door = ours

    def _wait_until_warm(self) -> socket.socket:
        if self._door is None or self._process is None:
            raise SandboxError("the sandbox is not started")
        if not self.guards:
            self._door.settimeout(_START_SECONDS)
            greeting = self._door.recv(1000)
            if not greeting:
                _, said = self._process.communicate()
                last = said.decode("utf-8", "replace").strip().splitlines()[-1:]
                raise SandboxError(f"Python with torch did not start in the sandbox: {last}")
            self._door.settimeout(None)
            self.guards["bubblewrap"] = "held" if self._walls else "not held: bwrap is not usable"
        return self._door

    def session(self, seconds: float) -> Session:
        """A fresh process for one attempt, with at most ``seconds`` of wall time."""
        with self._lock:
            door = self._wait_until_warm()
            data, data_theirs = socket.socketpair()
            control, control_theirs = socket.socketpair()
            order = {
                "limits": asdict(self.limits),
                "hidden": self._hidden,
                "covered": bool(self._walls),
            }
            fds = [data_theirs.fileno(), control_theirs.fileno()]
            socket.send_fds(door, [json.dumps(order).encode()], fds)
        data_theirs.close()
        control_theirs.close()
        return Session(data, control, min(seconds, self.limits.wall), self._note)

    def _note(self, guards: Mapping[str, str]) -> None:
        self.guards.update(guards)

    def close(self) -> None:
        """End the warm process and everything below it."""
        if self._door is not None:
            self._door.close()
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            if self._process.stderr is not None:
                self._process.stderr.close()


def _environment() -> dict[str, str]:
    """Nothing of the caller's environment reaches the attempt."""
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": "/nowhere",
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONHASHSEED": "0",
    }


def _bubblewrap() -> str | None:
    """The path of a bwrap that works on this machine."""
    path = shutil.which("bwrap")
    if path is None:
        return None
    trial = [path, "--ro-bind", "/", "/", "--unshare-pid", "--unshare-net", "true"]
    try:
        done = subprocess.run(trial, capture_output=True, timeout=10, check=False)  # noqa: S603  fixed command
    except (OSError, subprocess.TimeoutExpired):
        return None
    return path if done.returncode == 0 else None


def _libraries() -> list[str]:
    """The folders on ``sys.path`` that hold installed packages, without closedbook's source."""
    own = Path(__file__).resolve().parents[2]
    known = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    found = [
        path
        for path in sys.path
        if (path and Path(path).name in ("site-packages", "dist-packages")) or path in known
    ]
    return [path for path in dict.fromkeys(found) if Path(path).resolve() != own]


def _command(walls: str, fd: int) -> list[str]:
    """The command line of the warm process, behind bubblewrap where ``walls`` names it."""
    python = str(Path(sys.executable).resolve())
    settings = json.dumps({"paths": _libraries()})
    if not walls:
        return [python, "-I", "-S", "-B", "-u", str(INSIDE / "zygote.py"), str(fd), settings]
    inside = "/inside"
    seen = [sys.base_prefix, str(Path(python).parent.parent), *_libraries()]
    command = [walls, "--die-with-parent", "--new-session", "--unshare-ipc", "--unshare-pid"]
    command += ["--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    command += _open_folders([*seen, *_SYSTEM])
    for path in dict.fromkeys([*_SYSTEM, *seen]):
        command += _shown(path)
    for library in _libraries():
        if (Path(library) / "closedbook").is_dir():
            command += ["--tmpfs", f"{library}/closedbook", "--remount-ro", f"{library}/closedbook"]
    command += ["--proc", "/proc", "--dev", "/dev", "--perms", "0755", "--dir", SCRATCH]
    command += ["--ro-bind", str(INSIDE), inside, "--remount-ro", "/"]
    return [
        *command,
        "--",
        python,
        "-I",
        "-S",
        "-B",
        "-u",
        f"{inside}/zygote.py",
        str(fd),
        settings,
    ]


def _open_folders(paths: list[str]) -> list[str]:
    """Parents of what is shown, open to every user: the warm process gives root up."""
    parents = {str(parent) for path in paths for parent in Path(path).parents}
    made: list[str] = []
    for parent in sorted(parents - {"/"}, key=len):
        if not any(parent == path or parent.startswith(path + os.sep) for path in paths):
            made += ["--perms", "0755", "--dir", parent]
    return made


def _shown(path: str) -> list[str]:
    """Options that show a path read-only: links stay links."""
    if os.path.islink(path):
        return ["--symlink", os.readlink(path), path]
    return ["--ro-bind", path, path] if os.path.exists(path) else []
