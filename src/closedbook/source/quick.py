"""The quick way from YAML to plain data, for files in which nothing is wrong.

It goes by the parser's events and makes no nodes. What it cannot vouch for (a mistake, an anchor,
a tag, a key given twice) is left to :mod:`closedbook.source.yaml`, which knows places.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from yaml.cyaml import CParser  # type: ignore[attr-defined]  # the stubs leave it out
from yaml.error import YAMLError
from yaml.events import (
    DocumentEndEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from closedbook.model.value import Raw

MAX_DEPTH = 64
"""Levels of nesting: no card needs ten, and the data is walked by recursion."""

ESCAPED = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f]"
    r"|\t(?:heta|imes|ext|frac|binom|anh?\b|au\b|ilde|riangle|herefore|op\b|o\b)"
    r"|\n(?:abla|eq\b|e\b|u\b|ot\b|otin|mid|exists|eg\b|i\b|parallel)"
)
"""What LaTeX becomes in double quotes: ``\\alpha`` a bell and ``lpha``, ``\\theta`` a tab and
``heta``."""


def quick_data(text: str) -> Raw | None:
    """The data of a text that holds one clean document; None where it takes a closer look."""
    try:
        with uncollected():
            return _document(CParser(text).get_event)
    except (YAMLError, UnicodeError):
        return None


@contextmanager
def uncollected() -> Iterator[None]:
    """Spare the cycle collector the search of data that is only growing, and holds no cycles."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _document(event_after: Any) -> Raw | None:
    """The first document of the events, where it is the only one and has nothing unusual."""
    root: list[Raw] = []
    items: list[Any] = root
    outer: list[tuple[list[Any], bool]] = []
    flow = False
    event_after()  # the stream's start
    if type(event_after()).__name__ != "DocumentStartEvent":
        return None
    while True:
        event = event_after()
        kind = type(event)
        if kind is ScalarEvent:
            if event.tag is not None or event.anchor is not None:
                return None
            if event.style == '"' and ESCAPED.search(event.value):
                return None
            items.append(event.value)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            if event.tag is not None or event.anchor is not None or len(outer) >= MAX_DEPTH:
                return None
            outer.append((items, flow))
            items, flow = [], event.flow_style
        elif kind is MappingEndEvent:
            try:
                data = dict(zip(items[::2], items[1::2], strict=True))
            except TypeError:
                return None  # a list or a mapping is no name of a field
            if 2 * len(data) != len(items) or (flow and ("" in items or _splits(items))):
                return None
            items, flow = outer.pop()
            items.append(data)
        elif kind is SequenceEndEvent:
            if flow and _splits(items):
                return None
            data_list = items
            items, flow = outer.pop()
            items.append(data_list)
        else:
            break
    only = kind is DocumentEndEvent and type(event_after()).__name__ == "StreamEndEvent"
    return root[0] if only else None


def _splits(items: list[Any]) -> bool:
    """Whether a tuple may have been split at its comma: ``{shape: (5, 4)}``, ``[(5, 4)]``."""
    return any(opens(item) for item in items)


def opens(value: Raw) -> bool:
    """Whether a text begins a tuple that it does not end."""
    return type(value) is str and value[:1] == "(" and value.count("(") > value.count(")")
