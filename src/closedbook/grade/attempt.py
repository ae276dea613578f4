"""An attempt as it was handed in: bytes that became text, or the reason why they did not."""

from __future__ import annotations

import io
import os
import stat
import tokenize
from dataclasses import dataclass
from pathlib import Path

LARGEST = 64 << 10


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
        fault = "is a symbolic link: hand in the file itself" if link else f"{error.strerror}"
        return Attempt(name, None, fault)
    with open(fd, "rb") as file:
        about = os.fstat(fd)
        if stat.S_ISDIR(about.st_mode):
            return Attempt(name, None, "is a folder: hand in one Python file")
        if not stat.S_ISREG(about.st_mode):
            return Attempt(name, None, "is no ordinary file")
        if about.st_size > LARGEST:
            size = f"{about.st_size / 1e6:.1f} MB" if about.st_size > 1e6 else about.st_size
            return Attempt(name, None, f"is too large ({size}): an attempt has at most 64 kB")
        data = file.read(LARGEST + 1)
    return _decoded(name, data[:LARGEST])


def _decoded(name: str, data: bytes) -> Attempt:
    if not data.strip():
        return Attempt(name, None, "is empty")
    if b"\0" in data:
        line = data[: data.index(b"\0")].count(b"\n") + 1
        return Attempt(name, None, "holds NUL bytes: it is no Python source", line)
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        fault = f"is not UTF-8 (byte 0x{data[error.start]:02x}): save it as UTF-8"
        return Attempt(name, None, fault, line)
    except (SyntaxError, LookupError):
        return Attempt(
            name, None, "is not in the encoding that its first lines announce: use UTF-8", 1
        )
    return Attempt(name, text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n"))
