"""From an index in what the Markdown parser hands over back to the source text."""

from __future__ import annotations


class Places:
    """The lines of one source text, and how far each has been used.

    The parser gives line numbers for blocks and contents without indentation, quote marks and
    cell borders; here the contents are found again in their lines.
    """

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._used: dict[int, int] = {}

    def line(self, number: int) -> int:
        """The offset of a line, from 0."""
        return self._starts[min(number, len(self._lines) - 1)]

    def content(self, content: str, first: int) -> Origins:
        """The origins of each line of ``content``, whose first line is in line ``first``."""
        lines = content.split("\n")
        return Origins([(len(line), self._find(line, first + i)) for i, line in enumerate(lines)])

    def _find(self, piece: str, number: int) -> int:
        """The offset of a piece of a line; pieces of one line are asked for from left to right."""
        if number >= len(self._lines):
            return self._starts[-1] - 1
        line, used = self._lines[number], self._used.get(number, 0)
        for form in (piece, piece.rstrip(), piece.replace("|", "\\|")):
            at = line.find(form, used)
            if at >= 0:
                self._used[number] = at + len(form)
                return self._starts[number] + at
        return self._starts[number]


class Origins:
    """Where the characters of a content of several lines stand in the source text."""

    def __init__(self, lines: list[tuple[int, int]]) -> None:
        self._lines = lines

    def at(self, index: int) -> int:
        """The offset in the source text of character ``index`` of the content."""
        for length, start in self._lines:
            if index <= length:
                return start + index
            index -= length + 1
        return self._lines[-1][1] + self._lines[-1][0]
