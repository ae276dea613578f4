"""Loads the attempt and answers the grader's questions about it, in the sandbox.

What is said here is checked on the other side wherever it can be: tensors travel as bytes and
are compared there. What cannot be checked counts only for an attempt whose text the grader has
read and found unable to reach this process (:mod:`closedbook.grade.text.language`).
"""

from __future__ import annotations

import ast
import sys
import types
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import acts  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox
import table  # type: ignore[import-not-found]  # likewise
import torch
import watch  # type: ignore[import-not-found]  # likewise
import wire  # type: ignore[import-not-found]  # likewise

if TYPE_CHECKING:
    import socket

torch.set_num_threads(1)
_NEIGHBOURS = [path.stem for path in Path(__file__).resolve().parent.glob("*.py")]
"""The modules of this folder, none of which an attempt may find by its name."""


def serve(sock: socket.socket) -> None:
    """Answer requests until the grader closes the socket."""
    module: types.ModuleType | None = None
    warnings.simplefilter("ignore")
    for name in _NEIGHBOURS:
        sys.modules.pop(name, None)
    while True:
        try:
            header, tensors = wire.read(sock)
        except EOFError:
            return
        out = acts.Outgoing()
        answer: dict[str, Any]
        try:
            if header["act"] == "parse":
                answer = {"lines": _parsed(header["source"])}
            elif header["act"] == "load":
                module = _load(header["source"])
                answer = {"classes": _classes(module, header["names"])}
            else:
                function = getattr(module, header["class"])
                answer = table.ACTS[header["act"]](function, header, tensors, out)
        except BaseException as error:  # an attempt may raise anything
            out = acts.Outgoing()
            answer = {"error": acts.describe(error)}
        answer["called"] = watch.called()
        sock.settimeout(None)
        sock.sendall(wire.pack(answer, out.tensors))


def _parsed(source: str) -> int:
    """Parse and print a text with less room than the grader has: what passes here passes there."""
    sys.setrecursionlimit(500)
    return len(ast.unparse(ast.parse(source, acts.FILE)))


def _load(source: str) -> types.ModuleType:
    module = types.ModuleType("attempt")
    module.__file__ = acts.FILE
    sys.modules["attempt"] = module
    exec(compile(source, acts.FILE, "exec", dont_inherit=True), module.__dict__)  # noqa: S102  the job
    return module


def _classes(module: types.ModuleType, names: list[str]) -> dict[str, bool]:
    """Which of the names are bound, and whether to a Function."""
    found = {}
    for name in names:
        value = getattr(module, name, None)
        if value is not None:
            found[name] = isinstance(value, type) and issubclass(value, torch.autograd.Function)
    return found
