"""One YAML file to plain data, entry by entry, each with its origin."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from yaml.nodes import SequenceNode

from closedbook.model.value import Raw
from closedbook.problem import Problem
from closedbook.source.places import Entry, SourceFile, SourcePart
from closedbook.source.quick import quick_data
from closedbook.source.yaml import compose, to_plain, unused_anchors

_ENTRY = re.compile(r"^-(?=\s)", re.MULTILINE)
_SHARED = re.compile(r"^---|^\.\.\.|^%|(?<=[\s\[{,])&\w+(?=\s)", re.MULTILINE)
"""What reaches from one entry of a file to another: marks of documents, and anchors."""


@dataclass(slots=True)
class Reading:
    """What a file holds: pairs of data and origin, and what is wrong with its YAML.

    ``broken`` says that the YAML could not be read to its end.
    """

    items: list[tuple[Raw, Entry]] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    broken: bool = False


def read_mapping(file: SourceFile) -> Reading:
    """A file that holds one mapping (``bank.yaml``, ``unit.yaml``, a blueprint)."""
    part = SourcePart(file)
    reading = Reading()
    data = _read_part(part, reading)
    if data is None:
        if not reading.problems:
            reading.problems.append(Entry(part).problem((), "the file is empty"))
    elif not isinstance(data, dict):
        message = "expected a mapping (lines such as 'title: …')"
        reading.problems.append(Entry(part).problem((), message))
    else:
        reading.items.append((data, Entry(part)))
    return reading


def read_list(file: SourceFile) -> Reading:
    """A file that holds a list of mappings: cards.

    Where its YAML is broken, each entry is read for itself: one that is broken does not hide
    the others, nor their mistakes.
    """
    part = SourcePart(file)
    reading = Reading()
    data = _read_part(part, reading)
    if data is None and reading.broken:
        return _read_pieces(file) or reading
    if data is None and reading.problems:
        return reading
    if data is None:
        reading.problems.append(
            Entry(part).problem((), "the file is empty: it holds a list of cards")
        )
    elif not isinstance(data, list):
        message = "expected a list of cards: each begins with '- id:'"
        reading.problems.append(Entry(part).problem((), message))
    else:
        for index, item in enumerate(data):
            _take(reading, item, Entry(part, (index,)))
    return reading


def _take(reading: Reading, item: Any, entry: Entry) -> None:
    if isinstance(item, dict):
        reading.items.append((item, entry))
    else:
        found = "nothing" if item == "" else "a list" if isinstance(item, list) else "a text"
        message = f"expected a card (a mapping that begins with '- id:'), found {found}"
        reading.problems.append(entry.problem((), message))


def _read_part(part: SourcePart, reading: Reading) -> Raw | None:
    quick = quick_data(part.text)
    if quick is not None:
        return quick
    composed = compose(part.text)
    faults = composed.faults
    data: Raw | None = None
    if composed.root is not None:
        data, faults = to_plain(part.text, composed.root, composed.count)
        faults += unused_anchors(part.text) if data is not None else []
    reading.broken = reading.broken or bool(composed.faults)
    if faults and part.start:
        faults = [fault.moved(part.start) for fault in faults]
    reading.problems += [part.file.problem(fault) for fault in faults]
    return data


def _read_pieces(file: SourceFile) -> Reading | None:
    """The entries of a file whose YAML is broken somewhere; None where it has not even two."""
    starts = [match.start() for match in _ENTRY.finditer(file.text)]
    if len(starts) < 2 or _SHARED.search(file.text):
        return None
    reading = Reading()
    ends = [*starts[1:], len(file.text)]
    head = SourcePart(file, 0, file.text[: starts[0]])
    if _read_part(head, reading) is not None:
        return None
    for start, end in zip(starts, ends, strict=True):
        part = SourcePart(file, start, file.text[start:end])
        data = _read_part(part, reading)
        if isinstance(data, list) and isinstance(part.root, SequenceNode):
            for index, item in enumerate(data):
                _take(reading, item, Entry(part, (index,)))
    return reading if reading.problems else None
