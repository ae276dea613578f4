"""Namespaces, mounts and limits, by the system calls themselves.

Used by the supervisor of one session, before any of the attempt's code is read. Linux only;
where a call is refused the guard is reported as not held and the rest goes on.
"""

from __future__ import annotations

import ctypes
import os
import platform
import resource
from typing import Any

import syscalls  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox

_NEWNS, _NEWUTS, _NEWIPC = 0x00020000, 0x04000000, 0x08000000
_NEWUSER, _NEWPID, _NEWNET = 0x10000000, 0x20000000, 0x40000000
_RDONLY, _NOSUID, _NODEV, _NOEXEC, _REC, _PRIVATE = 1, 2, 4, 8, 1 << 14, 1 << 18
_PDEATHSIG, _DUMPABLE, _SUBREAPER, _NO_NEW_PRIVS = 1, 4, 36, 38
_SET_MOUNT_ATTRIBUTES, _RECURSIVE = 442, 0x8000
_CAPABILITIES = 0x20080522
NOBODY = 65534
_FILES = 1000
"""In the scratch folder, empty ones too: each takes memory of the kernel."""


class _Attributes(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("set", "clear", "propagation", "userns")]


class _CapabilityHeader(ctypes.Structure):
    _fields_ = [("version", ctypes.c_uint32), ("pid", ctypes.c_int)]


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _checked(result: int) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def become_nobody() -> bool:
    """Give root up, so that the limit on processes counts. False where root cannot be given up."""
    if os.getuid() != 0:
        return True
    try:
        os.setgroups([])
        os.setresgid(NOBODY, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, NOBODY)
    except OSError:
        return False
    if platform.system() == "Linux":
        _libc().prctl(_DUMPABLE, 1, 0, 0, 0)
    return True


def enter_namespaces(
    hidden: list[str], scratch: str, scratch_bytes: int, covered: bool
) -> dict[str, str]:
    """New user, process, network, IPC and mount namespaces for what is forked next.

    ``hidden`` folders are covered by empty ones, ``scratch`` by one that may be written to and
    that holds ``scratch_bytes``. ``covered`` says that an outer sandbox already
    shows nothing but Python and torch, read-only. Returns guard -> ``held`` or why it is not.
    """
    if platform.system() != "Linux":
        return {"namespaces": f"not held: no namespaces on {platform.system()}"}
    libc = _libc()
    uid, gid = os.getuid(), os.getgid()
    try:
        _checked(libc.unshare(_NEWUSER | _NEWNS | _NEWPID | _NEWNET | _NEWIPC | _NEWUTS))
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{uid} {uid} 1")
        _write("/proc/self/gid_map", f"{gid} {gid} 1")
    except OSError as error:
        return {"namespaces": f"not held: {error.strerror}"}
    guards = {"namespaces": "held", "network": "held"}
    guards["file system"] = _mounts(libc, hidden, scratch, scratch_bytes, covered)
    return guards


def _mounts(
    libc: ctypes.CDLL, hidden: list[str], scratch: str, scratch_bytes: int, covered: bool
) -> str:
    try:
        _checked(libc.mount(None, b"/", None, _PRIVATE | _REC, None))
        _no_more_namespaces()  # while /proc/sys can be written to
        if not covered:
            attributes = _Attributes(set=_RDONLY)
            size = ctypes.sizeof(attributes)
            call = libc.syscall
            _checked(
                call(_SET_MOUNT_ATTRIBUTES, -100, b"/", _RECURSIVE, ctypes.byref(attributes), size)
            )
            for folder in hidden:
                _cover(libc, folder, "size=0,mode=555", _RDONLY)
        _cover(libc, scratch, f"size={scratch_bytes},nr_inodes={_FILES},mode=1777", _NODEV)
        _cover(libc, "/proc", "size=0,mode=555", _RDONLY)
    except OSError as error:
        return f"not held: {error.strerror}"
    return "held"


def _cover(libc: ctypes.CDLL, folder: str, options: str, flags: int) -> None:
    flags |= _NOSUID | _NODEV | _NOEXEC
    _checked(libc.mount(b"tmpfs", folder.encode(), b"tmpfs", flags, options.encode()))


def _no_more_namespaces() -> None:
    try:
        _write("/proc/sys/user/max_user_namespaces", "0")
    except OSError:
        return  # an older kernel, or /proc/sys is read-only: dropped capabilities still hold


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def take_limits(limits: dict[str, Any]) -> None:
    """The limits of one process, and no way back: capabilities dropped, no new privileges."""
    memory = _address_space() + limits["memory"]
    for name, value in (
        ("RLIMIT_AS", memory),
        ("RLIMIT_CPU", limits["cpu"]),
        ("RLIMIT_FSIZE", limits["file"]),
        ("RLIMIT_NPROC", limits["processes"]),
        ("RLIMIT_NOFILE", 64),
        ("RLIMIT_CORE", 0),
        ("RLIMIT_MSGQUEUE", 0),
    ):
        which = getattr(resource, name, None)
        if which is not None:
            # The first limit of CPU time has a signal of its own; the second ends who ignores it.
            resource.setrlimit(which, (value, value + (name == "RLIMIT_CPU")))
    if platform.system() == "Linux":
        libc = _libc()
        libc.prctl(_PDEATHSIG, 9, 0, 0, 0)
        libc.prctl(_NO_NEW_PRIVS, 1, 0, 0, 0)
        header = _CapabilityHeader(_CAPABILITIES, 0)
        libc.capset(ctypes.byref(header), (ctypes.c_uint32 * 6)())
        syscalls.filter_calls()


def _address_space() -> int:
    """Bytes that the process spans now; /proc is covered later than this is first asked."""
    return _spanned or 0


def note_address_space() -> None:
    """Remember how much address space Python and torch take before the attempt adds to it."""
    global _spanned
    try:
        with open("/proc/self/statm") as file:
            _spanned = int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        _spanned = 4 << 30


_spanned: int | None = None


def adopt_orphans() -> None:
    """Become the parent of every orphan below, where there is no process namespace to do it."""
    if platform.system() == "Linux":
        _libc().prctl(_SUBREAPER, 1, 0, 0, 0)
