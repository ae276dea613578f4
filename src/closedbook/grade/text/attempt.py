"""An attempt as it was handed in: bytes that became text, or the reason why they did not."""

from __future__ import annotations

import io
import os
import stat
import tokenize
from dataclasses import dataclass
from pathlib import Path

LARGEST = 64 << 10
"""Bytes, many times what a task asks for: the text is read where no sandbox keeps its time."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """``source`` is the text, read once: what is judged is what runs.

    It is None where ``fault`` says why. ``line`` is where the fault stands, 0 where it has no line.
    """

    name: str
    source: str | None
    fault: str = ""
    line: int = 0


def read_attempt(path: Path, name: str | None = None) -> Attempt:
    """Read a file that a stranger made. Never follows a link, never reads more than allowed."""
    name = name or path.name
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError as error:
        link = path.is_symlink()
        fault = (
            "is a symbolic link: hand in the file itself"
            if link
            else f"cannot be read: {error.strerror}"
        )
        return Attempt(name, None, fault)
    about = os.fstat(fd)
    fault = ""
    if stat.S_ISDIR(about.st_mode):
        fault = "is a folder: hand in one Python file"
    elif not stat.S_ISREG(about.st_mode):
        fault = "is no ordinary file"
    elif about.st_size > LARGEST:
        size = f"{about.st_size / 1e6:.1f} MB" if about.st_size > 1e6 else f"{about.st_size} B"
        fault = f"is too large ({size}): an attempt has at most 64 kB"
    if fault:
        os.close(fd)
        return Attempt(name, None, fault)
    with open(fd, "rb") as file:
        return _decoded(name, file.read(LARGEST))


def _decoded(name: str, data: bytes) -> Attempt:
    if not data.strip():
        return Attempt(name, None, "is empty")
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        return Attempt(name, None, "holds NUL bytes: it is no Python source", line)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        other = _in_another_encoding(data)
        if other is None:
            line = data[: error.start].count(b"\n") + 1
            fault = f"is not UTF-8 (byte 0x{data[error.start]:02x}): save it as UTF-8"
            return Attempt(name, None, fault, line)
        text = other
    return Attempt(name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))


def _in_another_encoding(data: bytes) -> str | None:
    """The text in the encoding that a coding line announces, where one does."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, LookupError, UnicodeDecodeError):
        return None
