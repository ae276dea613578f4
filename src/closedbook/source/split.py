"""What YAML splits at a comma inside ``{…}`` and ``[…]``: told, and put together.

The pieces of ``{shape: (5, 4)}`` are a field ``shape`` with the text ``(5`` and a field ``4)``
with none; those of ``{value: 1,5}`` are a field ``value`` with the text ``1`` and a field ``5``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from yaml.nodes import Node, ScalarNode

from closedbook.model.value import Raw
from closedbook.source.fault import Fault
from closedbook.source.quick import opens

_WHOLE = re.compile(r"[+-]?[0-9]+")
_DIGITS = re.compile(r"[0-9]+")


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
        elif index < len(entries) and _halves(entry, entries[index]):
            after = str(entries[index].key.value)
            name, written = str(entry.key.value), f"{entry.data}.{after}"
            message = f"YAML splits {entry.data},{after} at its comma inside {{…}}"
            advice = f"a number has a point: write {name}: {written}"
            faults.append(Fault(entry.value.start_mark.index, f"{message}; {advice}"))
            entry, index = Entry(entry.key, entry.value, written), index + 1
        joined.append(entry)
    return joined


def _halves(one: Entry, other: Entry) -> bool:
    """Whether two fields are the sides of a comma in a number: ``1,5``, without a blank."""
    value, key = one.value, other.key
    return (
        isinstance(one.data, str)
        and other.data == ""
        and key.start_mark.index == value.end_mark.index + 1
        and bool(_WHOLE.fullmatch(one.data) and _DIGITS.fullmatch(key.value))
    )


def _fault(node: Node, whole: str, name: str | None = None) -> Fault:
    written, inside = (f'{name}: "{whole}"', "{…}") if name else (f'"{whole}"', "[…]")
    message = f"YAML splits {whole} at its comma inside {inside}: write {written}"
    return Fault(node.start_mark.index, message)
