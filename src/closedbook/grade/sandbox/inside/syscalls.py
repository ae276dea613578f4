"""A filter of system calls: what no attempt needs, and what namespaces and limits leave open.

Sockets of other families than the local one (a virtual machine's host answers on one of them),
keyrings, shared memory that no limit counts, and the calls in which kernels have had their holes.
"""

from __future__ import annotations

import ctypes
import platform
import struct

_KILL, _ERRNO, _ALLOW = 0x80000000, 0x00050000, 0x7FFF0000
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_NUMBER, _ARCHITECTURE, _FIRST = 0, 4, 16
"""Where a filter reads the call's number, its architecture and its first argument."""
_EPERM, _ENETUNREACH, _LOCAL = 1, 101, 1
_OTHER_TABLE = 0x40000000
_SET_SECCOMP, _GET_SECCOMP, _FILTER = 22, 21, 2

_MACHINES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_CLOSED = {
    "add_key": (248, 217),
    "bpf": (321, 280),
    "chroot": (161, 51),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "mq_open": (240, 180),
    "msgget": (68, 186),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "perf_event_open": (298, 241),
    "personality": (135, 92),
    "pivot_root": (155, 41),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "ptrace": (101, 117),
    "request_key": (249, 218),
    "semget": (64, 190),
    "setns": (308, 268),
    "shmget": (29, 194),
    "umount2": (166, 39),
    "unshare": (272, 97),
    "userfaultfd": (323, 282),
}
"""Call -> its number on each of the machines."""
_SOCKET = (41, 198)


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def _step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("HBBI", code, yes, no, value)


def _filter() -> bytes:
    """The program of the filter for this machine; empty where its numbers are not known."""
    if platform.system() != "Linux" or platform.machine() not in _MACHINES:
        return b""
    column = list(_MACHINES).index(platform.machine())
    steps = [
        _step(_LOAD, _ARCHITECTURE),
        _step(_EQUAL, _MACHINES[platform.machine()], yes=1),
        _step(_RETURN, _KILL),
        _step(_LOAD, _NUMBER),
        _step(_AT_LEAST, _OTHER_TABLE, no=1),
        _step(_RETURN, _ERRNO | _EPERM),
    ]
    for numbers in _CLOSED.values():
        steps += [_step(_EQUAL, numbers[column], no=1), _step(_RETURN, _ERRNO | _EPERM)]
    steps += [
        _step(_EQUAL, _SOCKET[column], no=3),
        _step(_LOAD, _FIRST),
        _step(_EQUAL, _LOCAL, yes=1),
        _step(_RETURN, _ERRNO | _ENETUNREACH),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(steps)


def can_be_filtered() -> bool:
    """Whether this kernel and this machine have what a filter needs."""
    return bool(_filter()) and ctypes.CDLL(None).prctl(_GET_SECCOMP, 0, 0, 0, 0) >= 0


def filter_calls() -> None:
    """Put the filter on this process and all that it starts; there is no way back.

    Raises ``OSError`` where it should be possible and is not.
    """
    program = _filter()
    if not can_be_filtered():
        return
    about = _Program(len(program) // 8, program)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_SET_SECCOMP, _FILTER, ctypes.byref(about), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no filter of system calls")
