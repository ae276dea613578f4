"""The command line of the warm process: behind bubblewrap, which shows Python and torch alone."""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path

import closedbook

INSIDE = Path(__file__).parent / "inside"
"""What runs in the sandbox; all else of closedbook is hidden from it."""
_SYSTEM = ("/usr", "/lib", "/lib64", "/lib32", "/bin", "/etc/ld.so.cache", "/etc/ld.so.conf.d")
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "HOME": "/nowhere",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
}
"""Nothing of the caller's environment reaches the attempt."""
_SCRATCHES = ("/tmp", "/var/tmp", "/dev/shm")  # noqa: S108  each is covered by an empty one


@functools.cache
def bubblewrap() -> str | None:
    """The path of a bwrap that works on this machine."""
    path = shutil.which("bwrap")
    if path is None:
        return None
    trial = [path, "--ro-bind", "/", "/", "--unshare-pid", "--unshare-net", "true"]
    try:
        done = subprocess.run(trial, capture_output=True, timeout=10, check=False)  # noqa: S603  fixed words
    except (OSError, subprocess.TimeoutExpired):
        return None
    return path if done.returncode == 0 else None


def command(walls: str | None, fd: int, hidden: Sequence[str], name: str) -> list[str]:
    """The warm process, behind bubblewrap where ``walls`` is its path.

    ``hidden`` folders are empty inside; ``name`` only tells one warm process from another.
    """
    python = str(Path(sys.executable).resolve())
    settings = json.dumps({"paths": _libraries(), "scratch": scratch(), "name": name})
    if walls is None:
        return [python, "-I", "-S", "-B", "-u", str(INSIDE / "zygote.py"), str(fd), settings]
    shown = [*_SYSTEM, sys.base_prefix, str(Path(python).parent.parent), *_libraries()]
    options = ["--die-with-parent", "--new-session", "--unshare-ipc", "--unshare-pid"]
    options += ["--unshare-net", "--unshare-uts", "--unshare-cgroup-try"]
    options += _open_folders(shown)
    for path in dict.fromkeys(shown):
        options += _shown(path)
    for folder in [*hidden, *_graders()]:
        if _within(folder, shown) and Path(folder).is_dir():
            options += ["--tmpfs", folder, "--remount-ro", folder]
    options += ["--proc", "/proc", "--dev", "/dev"]
    options += ["--remount-ro", "/dev", "--perms", "0755", "--dir", scratch()]
    options += ["--ro-bind", str(INSIDE), "/inside", "--remount-ro", "/"]
    program = [python, "-I", "-S", "-B", "-u", "/inside/zygote.py", str(fd), settings]
    return [walls, *options, "--", *program]


@functools.cache
def scratch() -> str:
    """The folder that a session's own empty one covers: one in which Python has nothing."""
    needed = [sys.base_prefix, sys.prefix, str(Path(sys.executable).resolve()), *_libraries()]
    return next(
        (folder for folder in _SCRATCHES if not any(_within(path, [folder]) for path in needed)),
        _SCRATCHES[0],
    )


def _libraries() -> list[str]:
    """The folders on ``sys.path`` that hold installed packages."""
    known = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    found = [
        path
        for path in sys.path
        if path in known or Path(path).name in ("site-packages", "dist-packages")
    ]
    return list(dict.fromkeys(found))


def _graders() -> list[str]:
    """Where closedbook itself lies: the one that runs, and any that is installed."""
    own = str(Path(closedbook.__file__).resolve().parent)
    installed = (f"{library}/closedbook" for library in _libraries())
    return list(dict.fromkeys([own, *installed]))


def _within(path: str, folders: Sequence[str]) -> bool:
    return any(path == folder or path.startswith(folder + os.sep) for folder in folders)


def _open_folders(shown: Sequence[str]) -> list[str]:
    """Parents of what is shown, open to every user: the warm process gives root up."""
    parents = {str(parent) for path in shown for parent in Path(path).parents}
    made: list[str] = []
    for parent in sorted(parents - {"/"}, key=len):
        if not _within(parent, shown):
            made += ["--perms", "0755", "--dir", parent]
    return made


def _shown(path: str) -> list[str]:
    """Options that show a path read-only; links stay links."""
    if os.path.islink(path):
        return ["--symlink", os.readlink(path), path]
    return ["--ro-bind", path, path] if os.path.exists(path) else []
