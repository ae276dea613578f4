"""The warm process: imports torch once, then forks a supervised child for every session.

It never holds a reference, a bank or an expected value, so a fork of it has nothing to leak.
Run as ``python -I -S zygote.py SOCKET_FD SETTINGS``; talks over a socket that passes fds.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys


def main() -> None:
    """Read settings, import torch, answer requests until the grader goes away."""
    settings = json.loads(sys.argv[2])
    sys.path[:0] = [os.path.dirname(os.path.abspath(__file__))]
    sys.path += settings["paths"]
    sys.dont_write_bytecode = True
    import gc
    import importlib
    import tempfile

    # Nothing here may be written to, and torch asks for a temporary folder while it is imported:
    # it is told of the one that each session has. Looking for a library, Python would have a
    # compiler write a file, which it does without where it finds none.
    tempfile.tempdir = settings["scratch"]
    path, os.environ["PATH"] = os.environ["PATH"], "/nowhere"

    import harness  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox
    import jail  # type: ignore[import-not-found]  # likewise
    import supervise  # type: ignore[import-not-found]  # likewise
    import table  # type: ignore[import-not-found]  # likewise

    table.warm()
    os.environ["PATH"] = path
    harmless = jail.become_nobody()
    jail.note_address_space()
    gc.collect()
    gc.freeze()
    door = socket.socket(fileno=int(sys.argv[1]))
    door.send(json.dumps({"ready": True, "root": not harmless}).encode())
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        message, fds, _, _ = socket.recv_fds(door, 65536, 2)
        if not message:
            return
        order = json.loads(message)
        if "import" in order:
            # A Python that root alone can read is closed by now: then attempts import it, or not.
            with contextlib.suppress(ImportError):
                importlib.import_module(order["import"])
            gc.collect()
            gc.freeze()
            continue
        if os.fork() == 0:
            door.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            data, control = (socket.socket(fileno=fd) for fd in fds)
            supervise.supervise(order, data, control, harness.serve)
            os._exit(0)
        for fd in fds:
            os.close(fd)


if __name__ == "__main__":
    main()
