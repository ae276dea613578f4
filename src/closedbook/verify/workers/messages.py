"""Messages through a pipe: each stands after its length."""

from __future__ import annotations

import struct
from typing import Any, BinaryIO

_LENGTH = struct.Struct(">Q")


def write(stream: BinaryIO | Any, data: bytes) -> None:
    """Send one message."""
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def read(stream: BinaryIO | Any) -> bytes:
    """One message. Raises EOFError where the other side is gone."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    return _exactly(stream, length)


def _exactly(stream: BinaryIO | Any, count: int) -> bytes:
    """So many bytes: a raw pipe gives no more at once than it holds."""
    data = bytearray()
    while len(data) < count:
        part = stream.read(count - len(data))
        if not part:
            raise EOFError
        data += part
    return bytes(data)
