"""YAML text to nodes and plain data, with PyYAML's C parser, every mistake at its place.

Scalars stay text, so YAML 1.1's surprises (``on``, ``12:30``, ``010``) cannot happen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave it out
from yaml.error import MarkedYAMLError, YAMLError
from yaml.events import AliasEvent
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from closedbook.model.value import Raw
from closedbook.source.fault import Fault, taken_for
from closedbook.source.quick import ESCAPED, MAX_DEPTH
from closedbook.source.split import Entry, join_entries, join_items
from closedbook.source.yaml_advice import advise

MAX_COPIES = 20_000
"""Values that the aliases of a file may add to those written out."""


class _TooDeep(Exception):  # noqa: N818  (it is caught one frame up and never leaves this module)
    def __init__(self, offset: int) -> None:
        self.offset = offset


class _Parser(CParser):
    """Composes nodes. No tag is ever resolved; nesting is counted."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.depth = 0
        self.composed = 0

    def resolve(self, kind: Any, value: Any, implicit: Any) -> None:
        """Leave the tag None: an explicit one is an author's mistake and is told apart so."""

    def descend_resolver(self, parent: Node | None, index: Any) -> None:
        """Called by the parser before each node that is not an alias."""
        self.composed += 1
        self.depth += 1
        if self.depth > MAX_DEPTH and parent is not None:
            raise _TooDeep(parent.start_mark.index)

    def ascend_resolver(self) -> None:
        """Called by the parser after each node."""
        self.depth -= 1


@dataclass(slots=True)
class Composed:
    """The root node of a text (None: nothing in it) and how many nodes were written out."""

    root: Node | None = None
    count: int = 0
    faults: list[Fault] = field(default_factory=list)


def compose(text: str) -> Composed:
    """Parse one document. The faults are those after which nothing can be read."""
    parser = None
    try:
        parser = _Parser(text)
        root = parser.get_single_node()
        return Composed(root, parser.composed)
    except _TooDeep as error:
        return Composed(faults=[Fault(error.offset, f"nested more than {MAX_DEPTH} levels deep")])
    except MarkedYAMLError as error:
        return Composed(faults=[advise(text, error)])
    except (ReaderError, UnicodeError) as error:
        return Composed(faults=[Fault(0, f"cannot be read as YAML: {error}")])
    finally:
        if parser is not None:
            parser.dispose()


class Converter:
    """Nodes to plain data.

    Mistakes are collected and mended as far as they can be, so that one of them does not hide or
    multiply others.
    """

    __slots__ = ("budget", "faults", "text")

    def __init__(self, text: str, count: int) -> None:
        self.text = text
        self.budget = count + MAX_COPIES
        self.faults: list[Fault] = []

    def plain(self, node: Node, depth: int = 0) -> Raw:
        """The data of a node: text, list or dict."""
        if node.tag is not None:
            self._fault(node, taken_for("!", "a tag"))
        if isinstance(node, ScalarNode):
            return self._text(node)
        assert isinstance(node, CollectionNode)  # noqa: S101  (the parser makes no other nodes)
        self.budget -= len(node.value)
        if self.budget < 0 or depth > MAX_DEPTH:
            raise _TooMuch(node.start_mark.index, depth > MAX_DEPTH)
        if isinstance(node, SequenceNode):
            items = [(child, self.plain(child, depth + 1)) for child in node.value]
            return join_items(items, self.faults) if node.flow_style else [x for _, x in items]
        if node.flow_style and any(isinstance(key, MappingNode) for key, _ in node.value):
            self._fault(node, taken_for("{{", "a mapping"))
            return "…"
        return self._mapping(node, depth + 1)

    def _mapping(self, node: CollectionNode, depth: int) -> Raw:
        entries: list[Entry] = []
        for key, child in node.value:
            if isinstance(key, ScalarNode):
                self._text(key)
                entries.append(Entry(key, child, self.plain(child, depth)))
            else:
                self._fault(key, "the name of a field is text, not a list or a mapping")
        if node.flow_style:
            entries = join_entries(entries, self.faults)
        out: dict[str, Raw] = {}
        first: dict[str, int] = {}
        for entry in entries:
            name, at = entry.key.value, entry.key.start_mark.index
            if name in out:
                message = f"the field {name!r} is given twice"
                self.faults.append(Fault(at, message, (first[name], "first given here")))
            else:
                out[name], first[name] = entry.data, at
        return out

    def _text(self, node: ScalarNode) -> str:
        value = str(node.value)
        if node.style == '"' and (found := ESCAPED.search(value)):
            written = escape_of(found[0][0])
            at = self.text.find(written, node.start_mark.index, node.end_mark.index)
            message = f"YAML reads {written} in double quotes as one character: "
            advice = "use single quotes, or write it under |"
            self.faults.append(Fault(max(at, node.start_mark.index), message + advice))
        return value

    def _fault(self, node: Node, message: str) -> None:
        self.faults.append(Fault(node.start_mark.index, message))


class _TooMuch(Exception):  # noqa: N818  (it is caught by `to_plain` and never leaves this module)
    def __init__(self, offset: int, endless: bool) -> None:
        self.offset = offset
        self.endless = endless


def to_plain(text: str, node: Node, count: int) -> tuple[Raw | None, list[Fault]]:
    """The data of the root ``node`` of ``text``, one of ``count``.

    None where its aliases make too much of it.
    """
    converter = Converter(text, count)
    try:
        return converter.plain(node), converter.faults
    except _TooMuch as error:
        message = (
            "an alias (*name) stands inside what it is an alias of"
            if error.endless
            else f"the aliases (*name) of this file stand for more than {MAX_COPIES} values"
        )
        return None, [*converter.faults, Fault(error.offset, message)]


def unused_anchors(text: str) -> list[Fault]:
    """Anchors without an alias: texts that begin with ``&``, whose first word YAML swallows."""
    parser = CParser(text)
    anchors: dict[str, int] = {}
    try:
        while (event := parser.get_event()) is not None:
            anchor = getattr(event, "anchor", None)
            if anchor is None or event.start_mark is None:
                continue
            if type(event) is AliasEvent:
                anchors.pop(anchor, None)
            else:
                anchors[anchor] = event.start_mark.index
    except YAMLError:
        return []  # what is wrong has been told by `compose`
    return [Fault(at, taken_for("&", "an anchor")) for at in anchors.values()]


def child_of(node: Node, step: str | int) -> Node | None:
    """The node of a field or an item."""
    if isinstance(node, MappingNode) and isinstance(step, str):
        return next((v for k, v in node.value if getattr(k, "value", None) == step), None)
    if isinstance(node, SequenceNode) and isinstance(step, int) and 0 <= step < len(node.value):
        return node.value[step]  # type: ignore[no-any-return]  # PyYAML's nodes are untyped
    return None


def key_of(node: Node, step: str) -> Node | None:
    """The node of a field's name."""
    if not isinstance(node, MappingNode):
        return None
    return next((k for k, _ in node.value if getattr(k, "value", None) == step), None)


def escape_of(char: str) -> str:
    """The escape that stands for a character in double quotes."""
    names = {"\0": "0", "\a": "a", "\b": "b", "\x1b": "e", "\f": "f", "\n": "n", "\r": "r"}
    names |= {"\t": "t", "\v": "v", "\x85": "N"}
    return "\\" + names.get(char, f"x{ord(char):02X}")
