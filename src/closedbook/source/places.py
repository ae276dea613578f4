"""The way back from data to the text that it was read from."""

from __future__ import annotations

import re

from yaml.nodes import Node, ScalarNode

from closedbook.model.origin import Loc
from closedbook.problem import Note, Place, Problem, Severity
from closedbook.source.fault import Fault
from closedbook.source.text import Lines
from closedbook.source.yaml import child_of, compose, key_of

_ESCAPE = re.compile(
    r"\\x(?P<x>[0-9a-fA-F]{2})|\\u(?P<u>[0-9a-fA-F]{4})|\\U(?P<U>[0-9a-fA-F]{8})|\\(?P<one>.)|.",
    re.DOTALL,
)
_BLANK_ESCAPES = frozenset(" \t\n\rtnrvfNLP_")


class SourceFile:
    """A file of the bank: its name within it, its text, its lines."""

    __slots__ = ("lines", "path")

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.lines = Lines(text)

    @property
    def text(self) -> str:
        """The whole text."""
        return self.lines.text

    def at(self, offset: int) -> Place:
        """The place of a character."""
        return Place(self.path, *self.lines.position(offset))

    def problem(self, fault: Fault) -> Problem:
        """A fault of the YAML as a problem."""
        notes = () if fault.other is None else (Note(fault.other[1], self.at(fault.other[0])),)
        place = self.at(fault.offset)
        return Problem(place, fault.message, excerpt=self.lines.line(place.line), notes=notes)


class SourcePart:
    """A piece of a file that is YAML for itself: all of it, or one entry of a broken file.

    Its nodes are made again when a place is asked for, and kept from then on.
    """

    __slots__ = ("_root", "file", "start", "text")

    def __init__(self, file: SourceFile, start: int = 0, text: str | None = None) -> None:
        self.file = file
        self.start = start
        self.text = file.text if text is None else text
        self._root: Node | None = None

    @property
    def root(self) -> Node | None:
        """The root node of the part."""
        if self._root is None:
            self._root = compose(self.text).root
        return self._root

    def offset_of(self, loc: Loc, *, offset: int | None = None, key: bool = False) -> int:
        """Where in the file the value at ``loc`` begins, or its nearest existing parent."""
        node, name = self.root, None
        if node is None:
            return self.start
        for step in loc:
            child = child_of(node, step)
            if child is None:
                key, offset = False, None
                break
            name = key_of(node, step) if isinstance(step, str) else None
            node = child
        if key and name is not None:
            return self.start + int(name.start_mark.index)
        if offset is not None and isinstance(node, ScalarNode):
            return self.start + character_at(self.text, node, offset)
        return self.start + int(node.start_mark.index)


class Entry:
    """Implements :class:`closedbook.model.origin.Origin` for a part of a file, or an item of it."""

    __slots__ = ("part", "prefix")

    def __init__(self, part: SourcePart, prefix: Loc = ()) -> None:
        self.part = part
        self.prefix = prefix

    @classmethod
    def nowhere(cls, path: str) -> Entry:
        """The origin of something that could not be read."""
        return cls(SourcePart(SourceFile(path, "")))

    @property
    def path(self) -> str:
        """The file, relative to the bank's folder."""
        return self.part.file.path

    def place(self, loc: Loc = (), *, offset: int | None = None, key: bool = False) -> Place:
        """See :meth:`closedbook.model.origin.Origin.place`."""
        return self.part.file.at(self.part.offset_of((*self.prefix, *loc), offset=offset, key=key))

    def problem(
        self,
        loc: Loc,
        message: str,
        *,
        offset: int | None = None,
        key: bool = False,
        severity: Severity = "error",
        notes: tuple[Note, ...] = (),
        card: str | None = None,
    ) -> Problem:
        """See :meth:`closedbook.model.origin.Origin.problem`."""
        place = self.place(loc, offset=offset, key=key)
        return Problem(
            place,
            message,
            severity=severity,
            excerpt=self.part.file.lines.line(place.line) or None,
            notes=notes,
            card=card,
        )


def character_at(text: str, node: ScalarNode, offset: int) -> int:
    """Where the character ``offset`` of a scalar's value stands in ``text``.

    Folding and indentation only touch white space, so the characters that are not blank come in
    the same order in the value and in the source: it is enough to count them.
    """
    value = node.value
    offset = max(0, min(offset, len(value)))
    inked = sum(not char.isspace() for char in value[:offset])
    blanks = offset - len(value[:offset].rstrip())
    if offset < len(value) and not value[offset].isspace():
        return _nth(text, node, inked + 1)
    if inked == 0:
        return _nth(text, node, 1) if value.strip() else int(node.start_mark.index)
    return min(_nth(text, node, inked) + 1 + blanks, len(text))


def _nth(text: str, node: ScalarNode, number: int) -> int:
    """The offset of the ``number``-th character of a scalar's source that is not blank, from 1."""
    at, end = int(node.start_mark.index), int(node.end_mark.index)
    if node.style in ("|", ">"):
        at = text.find("\n", at) + 1 or at
    elif node.style == '"':
        return _nth_escaped(text, at + 1, end - 1, number)
    elif node.style == "'":
        return _nth_quoted(text, at + 1, end - 1, number)
    for index in range(at, end):
        if not text[index].isspace():
            number -= 1
            if not number:
                return index
    return end


def _nth_quoted(text: str, at: int, end: int, number: int) -> int:
    """In single quotes, where a quote is written twice."""
    index = at
    while index < end:
        if not text[index].isspace():
            number -= 1
            if not number:
                return index
        index += 2 if text.startswith("''", index) else 1
    return end


def _nth_escaped(text: str, at: int, end: int, number: int) -> int:
    """In double quotes, with escapes."""
    for match in _ESCAPE.finditer(text, at, end):
        code = match["x"] or match["u"] or match["U"]
        if code:
            blank = chr(min(int(code, 16), 0x10FFFF)).isspace()
        elif match["one"]:
            blank = match["one"] in _BLANK_ESCAPES
        else:
            blank = match[0].isspace()
        if not blank:
            number -= 1
            if not number:
                return match.start()
    return end
