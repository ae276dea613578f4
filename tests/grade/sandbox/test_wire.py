"""What crosses the walls: frames that come back as they were, and forged ones, which do not."""

from __future__ import annotations

import socket
import threading

import pytest
import torch

from closedbook.grade.sandbox.inside import wire


def answer(data: bytes) -> tuple[dict[str, object], list[torch.Tensor]]:
    """Read a frame that somebody made."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        writer = threading.Thread(target=lambda: (theirs.sendall(data), theirs.shutdown(1)))
        writer.start()
        try:
            return wire.read(ours)
        finally:
            ours.close()
            writer.join()


def frame(head: bytes, payload: bytes = b"") -> bytes:
    """The bytes of a frame."""
    return len(head).to_bytes(4, "big") + len(payload).to_bytes(4, "big") + head + payload


def test_a_frame_comes_back_as_it_was() -> None:
    """Values, shapes and dtypes survive, empty tensors too."""
    sent = [torch.randn(2, 3).double(), torch.zeros(0, 4), torch.tensor(7)]
    header, tensors = answer(wire.pack({"a": [1, None]}, sent))
    assert header == {"a": [1, None]}
    assert all(torch.equal(a, b) for a, b in zip(sent, tensors, strict=True))


@pytest.mark.parametrize(
    "data",
    [
        b"\xff" * 64,
        frame(b"[1]"),
        frame(b"{"),
        frame(b"\xff\xfe"),
        frame(b'{"tensors": 3}'),
        frame(b'{"tensors": [], "x": NaN}'),
        frame(b"[" * 100_000),
        frame(b'{"tensors": [["float64", [2]]]}', b"123"),
        frame(b'{"tensors": []}', b"123"),
        frame(b'{"tensors": [["object", [2]]]}'),
        frame(b'{"tensors": [["float64", [-1]]]}'),
        frame(b'{"tensors": [["float64", [true]]]}'),
        frame(b'{"tensors": [["float64", [1e9]]]}'),
        frame(b'{"tensors": [["float64", [16777216, 16777216, 16777216]]]}'),
        frame(b'{"tensors": [["float64", [1, 1, 1, 1, 1, 1, 1, 1, 1]]]}', b"12345678"),
    ],
)
def test_a_forged_frame_is_refused(data: bytes) -> None:
    """Nothing that does not follow the form is read any further."""
    with pytest.raises(wire.MalformedError):
        answer(data)


def test_a_frame_that_ends_early_is_an_end() -> None:
    """A process that dies while it answers has not answered."""
    with pytest.raises(EOFError):
        answer(wire.pack({"a": 1}, [torch.ones(3)])[:-1])
