"""``(5, 4)`` inside ``{…}`` and ``[…]``, where YAML splits it at its comma: told, and put together.

The pieces of ``{shape: (5, 4)}`` are a field ``shape`` with the text ``(5`` and a field ``4)``
with none.
"""

from __future__ import annotations

from dataclasses import dataclass

from yaml.nodes import Node, ScalarNode

from closedbook.model.value import Raw
from closedbook.source.fault import Fault
from closedbook.source.quick import opens


@dataclass(frozen=True, slots=True)
class Entry:
    """A field of a mapping: the nodes of its name and its value, and the value's data."""

    key: ScalarNode
    value: Node
    data: Raw


def join_items(items: list[tuple[Node, Raw]], faults: list[Fault]) -> list[Raw]:
    """The data of a list, with the pieces of each tuple put together."""
    joined: list[Raw] = []
    index = 0
    while index < len(items):
        node, data = items[index]
        index += 1
        end = index
        whole = data
        while opens(whole) and end < len(items) and isinstance(items[end][1], str):
            whole = f"{whole}, {items[end][1]}"
            end += 1
        if end > index and not opens(whole):
            faults.append(_fault(node, str(whole)))
            data, index = whole, end
        joined.append(data)
    return joined


def join_entries(entries: list[Entry], faults: list[Fault]) -> list[Entry]:
    """The fields of a mapping, with the pieces of each tuple put together."""
    joined: list[Entry] = []
    index = 0
    while index < len(entries):
        entry = entries[index]
        index += 1
        end = index
        whole = entry.data
        while opens(whole) and end < len(entries) and entries[end].data == "":
            whole = f"{whole}, {entries[end].key.value}"
            end += 1
        if end > index and not opens(whole):
            faults.append(_fault(entry.value, str(whole), str(entry.key.value)))
            entry, index = Entry(entry.key, entry.value, whole), end
        joined.append(entry)
    return joined


def _fault(node: Node, whole: str, name: str | None = None) -> Fault:
    written, inside = (f'{name}: "{whole}"', "{…}") if name else (f'"{whole}"', "[…]")
    message = f"YAML splits {whole} at its comma inside {inside}: write {written}"
    return Fault(node.start_mark.index, message)
