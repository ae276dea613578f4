"""Bytes to text: encodings, line ends and characters that do not belong into a card."""

from __future__ import annotations

import re
import stat
from bisect import bisect_right
from pathlib import Path

from closedbook.problem import Place, Problem

MAX_BYTES = 64 * 1024 * 1024
"""A larger file is not read: nobody writes it by hand, and every stage holds the text."""

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_BREAK = re.compile("\r\n?|\n")


def read_text(file: Path, path: str) -> tuple[str | None, bytes, list[Problem]]:
    """The text of ``file``, its bytes, and what is wrong with it; text None where it is unusable.

    A byte order mark at the start is dropped. Line ends stay as they are. ``path`` is the name
    that problems carry.
    """
    try:
        if not stat.S_ISREG(file.stat().st_mode):
            return None, b"", [Problem(Place(path), "not a file that can be read")]
        if file.stat().st_size > MAX_BYTES:
            limit = f"larger than {MAX_BYTES // 1024**2} MiB: split it"
            return None, b"", [Problem(Place(path), limit)]
        data = file.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        return None, b"", [Problem(Place(path), f"cannot be read: {reason}")]
    text, problems = decode(data, path)
    return text, data, problems


def decode(data: bytes, path: str) -> tuple[str | None, list[Problem]]:
    """UTF-8 to text, and the first byte or character that does not belong there."""
    try:
        text = data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        return None, [_not_utf8(data, error.start, path)]
    found = _CONTROL.search(text)
    if found is None:
        return text, []
    message = f"a control character (U+{ord(found[0]):04X}) cannot stand in a text"
    return None, [Lines(text).problem(path, found.start(), message)]


def _not_utf8(data: bytes, at: int, path: str) -> Problem:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return Problem(Place(path), "the file is UTF-16: save it as UTF-8")
    before = data[:at].decode("utf-8").removeprefix("\ufeff")
    rest = re.split(rb"[\r\n]", data[at : at + 400], maxsplit=1)[0].decode("utf-8", "replace")
    message = f"the file is not UTF-8: byte 0x{data[at]:02X} starts no character (save it as UTF-8)"
    return Lines(before + rest).problem(path, len(before), message)


class Lines:
    """A text and where its lines begin: offsets to lines and columns, both counted from 1."""

    __slots__ = ("_starts", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """The offset of each line's first character; found when first asked for."""
        if self._starts is None:
            self._starts = [0, *(match.end() for match in _BREAK.finditer(self.text))]
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, from 1. Past the end counts as the end."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def line(self, number: int) -> str:
        """The text of a line, counted from 1, without its end."""
        if not 1 <= number <= len(self.starts):
            return ""
        end = self.starts[number] if number < len(self.starts) else len(self.text)
        return self.text[self.starts[number - 1] : end].rstrip("\r\n")

    def problem(self, path: str, offset: int, message: str) -> Problem:
        """A problem at a character, with its line as excerpt."""
        line, column = self.position(offset)
        return Problem(Place(path, line, column), message, excerpt=self.line(line))
