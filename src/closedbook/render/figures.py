"""Whether a figure can be shown: it exists, in the bank, whole, and holds nothing that runs.

An SVG is read with expat itself: no entity is expanded, nothing outside is fetched.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from xml.parsers import expat

LARGEST = 8_000_000
"""Bytes. A deck with larger figures would not sync in a reasonable time."""

_FORMATS = {
    ".png": (b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"),
    ".jpg": (b"\xff\xd8\xff", b"\xff\xd9"),
    ".jpeg": (b"\xff\xd8\xff", b"\xff\xd9"),
    ".gif": (b"GIF8", b"\x3b"),
    ".webp": (b"RIFF", b""),
}
_FORBIDDEN = frozenset(
    {"script", "foreignobject", "iframe", "object", "embed", "audio", "video", "canvas"}
    | {"handler", "listener", "animate", "animatemotion", "animatetransform", "set"}
)
_DATA_IMAGE = re.compile(r"data:image/(png|jpeg|gif|webp)[;,]", re.IGNORECASE)
_FAR = re.compile(r"url\(\s*['\"]?\s*(?!#|['\"]?#)|@import|image-set\(|expression\(", re.IGNORECASE)
_CSS_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|([^0-9a-f\n]))", re.IGNORECASE)


def figure_problem(path: str, folder: Path, root: Path) -> str | None:
    """What is wrong with a figure that a card in ``folder`` names, if anything.

    ``root`` is the bank's folder. A figure stands in its ``cards/``: changes there are noticed.
    """
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", path):
        return f"a figure is a file beside the card's, so that it shows offline, not {path!r}"
    if "\\" in path or path.startswith("/"):
        return f"write the figure's path from the card's folder on, with '/', not {path!r}"
    if "\0" in path:
        return "a figure's path holds no NUL"
    file = folder / path
    try:
        whole = file.resolve()
        if not whole.is_relative_to(root.resolve()):
            return f"the figure {path!r} lies outside the bank"
        cards = os.path.join(os.path.abspath(root), "cards", "")
        if not os.path.abspath(file).startswith(cards):
            return f"the figure {path!r} lies outside of 'cards': put it beside the card's file"
        if not whole.is_file():
            return f"there is no figure {path!r} beside the card's file"
        state = whole.stat()
    except OSError as error:
        return f"the figure {path!r} cannot be read: {error.strerror}"
    except RuntimeError:  # Python before 3.13 says so of links that go round
        return f"the figure {path!r} is a link that leads to itself"
    fault = _fault(whole, state.st_mtime_ns, state.st_size)
    return f"the figure {path!r} {fault}" if fault else None


@lru_cache(maxsize=4096)
def _fault(file: Path, changed: int, size: int) -> str | None:
    """What is wrong with the file's content; ``changed`` and ``size`` make the cache honest."""
    kind = file.suffix.lower()
    if kind != ".svg" and kind not in _FORMATS:
        return "is of no kind that Anki and the paper both show: use SVG, PNG, JPEG, GIF or WebP"
    if size > LARGEST:
        return f"is larger than {LARGEST // 1_000_000} MB"
    try:
        data = file.read_bytes()
    except OSError as error:
        return f"cannot be read: {error.strerror}"
    if kind == ".svg":
        return _svg_fault(data)
    begin, end = _FORMATS[kind]
    if not data.startswith(begin):
        return f"is no {kind[1:].upper()} file, whatever its name says"
    if end not in data[-64:]:
        return "is cut off: its end is missing"
    return None


class _RefusedError(Exception):
    """Stops expat at the first thing that is refused."""


def _svg_fault(data: bytes) -> str | None:
    parser = expat.ParserCreate()
    depth = 0

    def refuse(why: str) -> None:
        raise _RefusedError(f"{why} (line {parser.CurrentLineNumber})")

    def start(tag: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        name = tag.rpartition(":")[2].lower()
        if depth == 0 and name != "svg":
            refuse(f"is no SVG: its outermost element is <{tag}>")
        if depth > 200:
            refuse("is nested too deeply")
        depth += 1
        if name in _FORBIDDEN:
            refuse(f"holds <{tag}>, which a card must not")
        for key, value in attributes.items():
            _check_attribute(key.rpartition(":")[2].lower(), value, refuse)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1

    def characters(text: str) -> None:
        if _far(text):
            refuse("takes something from outside in its style")

    parser.buffer_text = True
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.EntityDeclHandler = lambda *_: refuse("declares an entity, which could hide anything")
    parser.ProcessingInstructionHandler = lambda *_: refuse("holds a processing instruction")
    try:
        parser.Parse(data, True)
    except _RefusedError as refused:
        return str(refused)
    except (expat.ExpatError, LookupError, ValueError) as error:  # the last two: its encoding
        return f"is no well-formed SVG: {error}"
    return None


def _far(style: str) -> bool:
    """Whether a style takes something from outside, in letters or in CSS's escapes of them."""
    plain = _CSS_ESCAPE.sub(lambda found: _letter(found[1]) if found[1] else found[2], style)
    return any(_FAR.search(text) is not None for text in (style, plain))


def _letter(digits: str) -> str:
    number = int(digits, 16)
    return chr(number) if number < 0x110000 else "\N{REPLACEMENT CHARACTER}"


def _check_attribute(name: str, value: str, refuse: Callable[[str], None]) -> None:
    if name.startswith("on"):
        refuse(f"holds '{name}', which would run")
    elif name in ("href", "src"):
        if not (value.startswith("#") or _DATA_IMAGE.match(value)):
            refuse(f"refers to {value[:60]!r} outside of it")
    elif _far(value):
        refuse(f"takes something from outside in '{name}'")
