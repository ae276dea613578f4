"""Frames between grader and sandbox: a small JSON header and tensors as raw bytes.

What both sides must spell alike stands here too. No pickle. Both sides refuse a frame that is
larger than announced limits, and the grader treats every header as the word of a stranger.
"""

from __future__ import annotations

import json
import math
import struct
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Sequence

    import torch

HEADER_LIMIT = 1 << 20
PAYLOAD_LIMIT = 1 << 24
"""Bytes of one frame: some hundred times what the inputs of a task and their gradients take."""
DIMENSIONS = 8
ENGINE = "the engine"
"""What is told as called where forward or backward asks for a derivative."""
MUTE = 70
"""The exit code of a process that could not send its answer; who hears first of the closed line,
the process or the grader, is chance."""
_SIZES = struct.Struct(">II")
ITEM = {"float64": 8, "float32": 4, "float16": 2, "complex128": 16, "complex64": 8}
ITEM |= {"int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1, "bool": 1}


class MalformedError(Exception):
    """A frame that does not follow the form."""


def name_of(dtype: torch.dtype) -> str:
    """``float64`` for ``torch.float64``."""
    return str(dtype).removeprefix("torch.")


def pack(header: dict[str, Any], tensors: Sequence[torch.Tensor] = ()) -> bytes:
    """One frame. ``tensors`` are dense and of a dtype in :data:`ITEM`."""
    listed = [[name_of(t.dtype), list(t.shape)] for t in tensors]
    head = json.dumps({**header, "tensors": listed}).encode()
    payload = b"".join(t.detach().contiguous().numpy().tobytes() for t in tensors)
    return _SIZES.pack(len(head), len(payload)) + head + payload


def _exactly(sock: socket.socket, count: int, patience: Callable[[], float | None]) -> bytes:
    chunks = []
    while count:
        sock.settimeout(patience())
        chunk = sock.recv(min(count, 1 << 20))
        if not chunk:
            raise EOFError
        chunks.append(chunk)
        count -= len(chunk)
    return b"".join(chunks)


def read(
    sock: socket.socket, patience: Callable[[], float | None] = lambda: None
) -> tuple[dict[str, Any], list[torch.Tensor]]:
    """The next frame.

    ``patience`` gives the seconds that are left. Raises :class:`MalformedError`, ``EOFError``
    where the other side is gone, ``TimeoutError`` where patience ends.
    """
    sizes = _exactly(sock, _SIZES.size, patience)
    head_size, payload_size = _SIZES.unpack(sizes)
    if head_size > HEADER_LIMIT or payload_size > PAYLOAD_LIMIT:
        raise MalformedError("the answer is larger than an answer may be")
    head = _exactly(sock, head_size, patience)
    payload = _exactly(sock, payload_size, patience)
    try:
        header = json.loads(head, parse_constant=_no_constant)
    except (ValueError, RecursionError):
        raise MalformedError("the answer's header cannot be read") from None
    if not isinstance(header, dict):
        raise MalformedError("the answer's header is no mapping")
    return header, _tensors(header.pop("tensors", None), payload)


def _no_constant(text: str) -> float:
    raise ValueError(text)


def _tensors(listed: Any, payload: bytes) -> list[torch.Tensor]:
    """The tensors of a payload whose description has been checked field by field."""
    if not isinstance(listed, list):
        raise MalformedError("the answer's tensors are not listed")
    tensors, at = [], 0
    for entry in listed:
        dtype, shape = _described(entry)
        size = ITEM[dtype] * math.prod(shape)
        if at + size > len(payload):
            raise MalformedError("a tensor is longer than the bytes that came")
        tensors.append(_tensor(dtype, shape, payload[at : at + size]))
        at += size
    if at != len(payload):
        raise MalformedError("more bytes came than the tensors need")
    return tensors


def _described(entry: Any) -> tuple[str, list[int]]:
    if not (isinstance(entry, list) and len(entry) == 2):
        raise MalformedError("a tensor's description is not [dtype, shape]")
    dtype, shape = entry
    if not (isinstance(dtype, str) and dtype in ITEM):
        raise MalformedError("a tensor has a dtype that is not known here")
    if not (isinstance(shape, list) and len(shape) <= DIMENSIONS):
        raise MalformedError("a tensor's shape is no short list")
    if not all(type(n) is int and 0 <= n <= PAYLOAD_LIMIT for n in shape):
        raise MalformedError("a tensor's shape holds more than sizes")
    return dtype, shape


def _tensor(dtype: str, shape: list[int], data: bytes) -> torch.Tensor:
    import torch

    kind: torch.dtype = getattr(torch, dtype)
    if not data:
        return torch.empty(shape, dtype=kind)
    return torch.frombuffer(bytearray(data), dtype=kind).reshape(shape)
