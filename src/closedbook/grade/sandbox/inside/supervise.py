"""One session's supervisor: makes the walls, forks the attempt's process, watches, ends it all."""

from __future__ import annotations

import json
import os
import select
import signal
import time
from typing import TYPE_CHECKING, Any

import jail  # type: ignore[import-not-found]  # likewise
import syscalls  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox
import wire  # type: ignore[import-not-found]  # likewise

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

KEPT_OUTPUT = 2000
"""Bytes printed that are kept for a report, which shows fewer."""


def supervise(
    order: dict[str, Any],
    data: socket.socket,
    control: socket.socket,
    serve: Callable[[socket.socket], None],
) -> None:
    """Run ``serve(data)`` behind walls until it ends or ``control`` is closed by the grader.

    Sends one JSON line with the guards at the start, one with the end's reason at the end.
    """
    os.setsid()
    guards = {"namespaces": "not held: turned off"}
    if order["namespaces"]:
        size = order["limits"]["file"] * 2
        guards = jail.enter_namespaces(order["hidden"], order["scratch"], size, order["covered"])
    if guards.get("namespaces") != "held":
        jail.adopt_orphans()
    guards["system calls"] = (
        "held" if syscalls.can_be_filtered() else "not held: no filter for them"
    )
    out_read, out_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        control.close()
        os.close(out_read)
        _become_the_attempt(order["limits"], order["scratch"], data, out_write, serve)
    os.close(out_write)
    data.close()
    _say(control, {"guards": guards})
    reason, kept, total = _watch(pid, control, out_read, order["limits"]["output"])
    _end(pid, guards)
    kept = (kept + _rest(out_read))[:KEPT_OUTPUT]
    _, status, used = os.wait4(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    _say(
        control,
        {
            "reason": reason,
            "code": code,
            "cpu": used.ru_utime + used.ru_stime,
            "printed": total,
            "output": kept.decode("utf-8", "replace"),
        },
    )


def _say(control: socket.socket, message: dict[str, Any]) -> None:
    try:
        control.sendall(json.dumps(message).encode() + b"\n")
    except OSError:
        return  # the grader has closed its end: nobody is listening any more


def _become_the_attempt(
    limits: dict[str, Any],
    scratch: str,
    data: socket.socket,
    out: int,
    serve: Callable[[socket.socket], None],
) -> None:
    """In the child: standard streams, limits, then the loop that answers. Never returns."""
    code = wire.MUTE
    try:
        null = os.open("/dev/null", os.O_RDONLY)
        os.dup2(null, 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        kept = os.dup2(data.fileno(), 3) if data.fileno() != 3 else 3
        if data.fileno() != 3:
            data.detach()
        os.closerange(4, 256)
        os.chdir(scratch)
        jail.take_limits(limits)
        import socket

        serve(data if data.fileno() == 3 else socket.socket(fileno=kept))
        code = 0
    finally:
        os._exit(code)


def _watch(pid: int, control: socket.socket, out: int, limit: int) -> tuple[str, bytes, int]:
    """Wait for the child's end, the grader's word, or too much output."""
    child = os.pidfd_open(pid)
    kept, total = b"", 0
    poll = select.poll()
    for fd in (child, control.fileno(), out):
        poll.register(fd, select.POLLIN | select.POLLHUP)
    while True:
        ready = {fd for fd, _ in poll.poll()}
        if out in ready:
            chunk = os.read(out, 65536)
            if not chunk:
                poll.unregister(out)
            total += len(chunk)
            kept = (kept + chunk)[:KEPT_OUTPUT]
            if total > limit:
                return "output", kept, total
        if child in ready and out not in ready:
            return "ended", kept, total
        if control.fileno() in ready:
            return "asked", kept, total


def _rest(out: int) -> bytes:
    """What was still in the pipe at the end; nobody is left to write more."""
    os.set_blocking(out, False)
    try:
        return os.read(out, KEPT_OUTPUT)
    except OSError:
        return b""


def _end(pid: int, guards: dict[str, str]) -> None:
    """End the child and everything that it started."""
    if guards.get("namespaces") == "held":
        _kill(pid)  # the first process of its namespace: the kernel ends the rest with it
        return
    for _ in range(200):
        family = _descendants()
        if not family:
            return
        for member in family:
            _kill(member)
        _reap(pid)
        time.sleep(0.005)


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return  # it has ended by itself


def _reap(keep: int) -> None:
    """Collect adopted orphans that have ended; the child itself is collected by the caller."""
    for member in _descendants(zombies=True):
        if member != keep:
            try:
                os.waitpid(member, os.WNOHANG)
            except OSError:
                continue  # not a child of ours


def _descendants(zombies: bool = False) -> list[int]:
    """Every process below this one, from /proc; zombies only where asked."""
    parents: dict[int, int] = {}
    try:
        entries = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    except OSError:
        return []
    for entry in entries:
        try:
            with open(f"/proc/{entry}/stat") as file:
                state, parent = file.read().rsplit(")", 1)[1].split()[:2]
        except OSError:
            continue  # it ended while the list was read
        if zombies or state not in "ZX":
            parents[entry] = int(parent)
    mine, grown = {os.getpid()}, True
    while grown:
        more = {pid for pid, parent in parents.items() if parent in mine} - mine
        mine |= more
        grown = bool(more)
    return sorted(mine - {os.getpid()})
