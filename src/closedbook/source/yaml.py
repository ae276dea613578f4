"""YAML text to nodes and plain data, with PyYAML's C parser, every mistake at its place.

Scalars stay text, so YAML 1.1's surprises (``on``, ``12:30``, ``010``) cannot happen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave it out
from yaml.error import MarkedYAMLError
from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode, SequenceNode
from yaml.reader import ReaderError

from closedbook.model.value import Raw
from closedbook.source.fault import Fault, taken_for
from closedbook.source.quick import MAX_DEPTH, opens
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

    __slots__ = ("budget", "faults")

    def __init__(self, count: int) -> None:
        self.budget = count + MAX_COPIES
        self.faults: list[Fault] = []

    def plain(self, node: Node, depth: int = 0) -> Raw:
        """The data of a node: text, list or dict."""
        if node.tag is not None:
            self._tag(node)
        kind = type(node)
        if kind is ScalarNode:
            return node.value  # type: ignore[no-any-return]  # PyYAML's nodes are untyped
        assert isinstance(node, CollectionNode)  # noqa: S101  (the parser makes no other nodes)
        self.budget -= len(node.value)
        if self.budget < 0 or depth > MAX_DEPTH:
            raise _TooMuch(node.start_mark.index, depth > MAX_DEPTH)
        depth += 1
        plain = self.plain
        if kind is SequenceNode:
            items = [
                child.value
                if type(child) is ScalarNode and child.tag is None
                else plain(child, depth)
                for child in node.value
            ]
            return self._rejoin_items(node, items) if node.flow_style else items
        out: dict[str, Raw] = {}
        for key, child in node.value:
            if type(key) is not ScalarNode:
                self._key(key)
                continue
            out[key.value] = (
                child.value
                if type(child) is ScalarNode and child.tag is None
                else plain(child, depth)
            )
        if len(out) != len(node.value):
            self._duplicates(node)
        return self._rejoin_entries(node, out) if node.flow_style else out

    def _tag(self, node: Node) -> None:
        message = f"YAML takes {node.tag!r} for a tag: put a text that begins with ! in quotes"
        self.faults.append(Fault(node.start_mark.index, message))

    def _key(self, key: Node) -> None:
        braces = isinstance(key, MappingNode) and key.flow_style
        message = (
            taken_for("{{", "a mapping")
            if braces
            else "the name of a field is text, not a list or a mapping"
        )
        # The outer brace of {{ stands one character before the key.
        self.faults.append(Fault(key.start_mark.index - (1 if braces else 0), message))

    def _duplicates(self, node: Node) -> None:
        first: dict[str, int] = {}
        for key, _ in node.value:
            if type(key) is not ScalarNode:
                continue
            at = key.start_mark.index
            if key.value in first:
                message = f"the field {key.value!r} is given twice"
                self.faults.append(Fault(at, message, (first[key.value], "first given here")))
            else:
                first[key.value] = at

    def _rejoin_items(self, node: CollectionNode, items: list[Raw]) -> list[Raw]:
        """Put together the pieces of ``[(5, 4)]``, which YAML splits at the comma."""
        if not any(opens(item) for item in items):
            return items
        joined: list[Raw] = []
        rest = iter(zip(items, node.value, strict=True))
        for item, child in rest:
            pieces = [item]
            while opens(", ".join(map(str, pieces))) and (follower := next(rest, None)):
                pieces.append(follower[0])
            if len(pieces) > 1 and all(isinstance(piece, str) for piece in pieces):
                joined.append(self._split(child, pieces))
            else:
                joined.extend(pieces)
        return joined

    def _rejoin_entries(self, node: CollectionNode, out: dict[str, Raw]) -> dict[str, Raw]:
        """Put together the pieces of ``{shape: (5, 4)}``, which YAML splits at the comma."""
        if not any(opens(value) for value in out.values()):
            return out
        joined: dict[str, Raw] = {}
        opened: str | None = None
        for key, child in node.value:
            name = key.value
            if opened is None or child.value != "":
                joined[name] = out.get(name, "")
                opened = name if opens(joined[name]) else None
                continue
            pieces = [joined[opened], name]
            joined[opened] = ", ".join(map(str, pieces))
            if not opens(joined[opened]):
                value = next(v for k, v in node.value if k.value == opened)
                self._split(value, str(joined[opened]).split(", "), opened)
                opened = None
        return joined

    def _split(self, node: Node, pieces: list[Any], name: str | None = None) -> str:
        whole = ", ".join(pieces)
        written = f'{name}: "{whole}"' if name else f'"{whole}"'
        inside = "{…}" if name else "[…]"
        message = f"YAML splits {whole} at its comma inside {inside}: write {written}"
        self.faults.append(Fault(node.start_mark.index, message))
        return whole


class _TooMuch(Exception):  # noqa: N818  (it is caught by `to_plain` and never leaves this module)
    def __init__(self, offset: int, endless: bool) -> None:
        self.offset = offset
        self.endless = endless


def to_plain(node: Node, count: int) -> tuple[Raw | None, list[Fault]]:
    """The data of a node among ``count``; None where its aliases make too much of it."""
    converter = Converter(count)
    try:
        return converter.plain(node), converter.faults
    except _TooMuch as error:
        message = (
            "an alias (*name) stands inside what it is an alias of"
            if error.endless
            else f"the aliases (*name) of this file stand for more than {MAX_COPIES} values"
        )
        return None, [*converter.faults, Fault(error.offset, message)]


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
