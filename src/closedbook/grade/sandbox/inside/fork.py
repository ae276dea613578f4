"""Runs that know nothing of each other: each in a process forked from one and the same state."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import wire  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox

if TYPE_CHECKING:
    import torch

Told = tuple[dict[str, Any], "list[torch.Tensor]"]
Order = dict[str, Any]


class EndedError(Exception):
    """A run ended its process before it had answered."""


def direct(whole: Callable[[Callable[[Order], Told]], Told], run: Callable[[Order], Told]) -> Told:
    """What ``whole`` tells, which may give orders; ``run`` carries each out.

    Either runs in a process forked from this one, in which nothing has run. Where no process can
    be had, it runs here. Raises what ``whole`` raises, and :class:`EndedError`.
    """
    ours, theirs = socket.socketpair()
    with ours, theirs:
        try:
            director = os.fork()
        except OSError:
            return whole(run)
        if director == 0:
            ours.close()
            _answer(theirs, lambda: whole(lambda order: _asked(theirs, order)))
        theirs.close()
        try:
            return _serve(ours, run)
        finally:
            ours.close()
            os.waitpid(director, 0)


def _serve(ours: socket.socket, run: Callable[[Order], Told]) -> Told:
    """Fork a run for each order of the director, until it tells the whole."""
    while True:
        try:
            header, tensors = wire.read(ours)
        except EOFError:
            raise EndedError("backward ended its process") from None
        order = header.get("order")
        if order is None:
            return header["told"], tensors
        try:
            pid = os.fork()
        except OSError:
            told, tensors = run(order)
            ours.sendall(wire.pack({"told": told}, tensors))
            continue
        if pid == 0:
            _answer(ours, lambda order=order: run(order))  # type: ignore[misc]  # bound at once
        if os.waitpid(pid, 0)[1] != 0:
            ours.sendall(wire.pack({"told": {"ended": True}}))


def _asked(theirs: socket.socket, order: Order) -> Told:
    theirs.sendall(wire.pack({"order": order}))
    header, tensors = wire.read(theirs)
    return header["told"], tensors


def _answer(sock: socket.socket, work: Callable[[], Told]) -> None:
    """In a forked process: work, tell, end."""
    code = 1
    try:
        told, tensors = work()
        sock.sendall(wire.pack({"told": told}, tensors))
        code = 0
    finally:
        os._exit(code)
