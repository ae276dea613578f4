"""Figures: found beside the cards, checked, and named flat by what they hold.

Anki's media folder is flat and shared by every deck; it never replaces a file under a name that
is there. A name with a hash of the content in it solves both.
"""

from __future__ import annotations

import hashlib
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from closedbook.model.bank import Bank, Card
from closedbook.problem import Place, Problem, did_you_mean

SUFFIXES = frozenset({".svg", ".png", ".jpg", ".jpeg", ".gif", ".webp"})
_UNSAFE = re.compile(r"[^a-z0-9]+")
_WITHIN = re.compile(r"\s*(?:#|data:image/(?:png|jpeg|gif|webp)[;,])")
_LOADS = re.compile(r"@import|url\(\s*['\"]?\s*(?!['\"\s#])", re.IGNORECASE)
_ACTIVE = frozenset({"script", "foreignObject", "iframe", "handler", "listener"})


@dataclass(frozen=True, slots=True)
class MediaFile:
    """A figure: where it lies, and its name in Anki's media folder."""

    path: Path
    name: str


class Media:
    """The figures of a bank, each read and checked once."""

    def __init__(self, bank: Bank) -> None:
        self._root = bank.root.resolve()
        self._found: dict[Path, tuple[MediaFile | None, str]] = {}

    def find(self, card: Card, path: str) -> tuple[MediaFile | None, str]:
        """The figure that ``card`` names as ``path``; else None and what is wrong with it."""
        if PurePosixPath(path).is_absolute() or "\\" in path:
            return None, f"figure {path!r} is no path beside the card's file"
        place = card.folder / path
        if place not in self._found:
            self._found[place] = self._look(place, path)
        return self._found[place]

    def _look(self, place: Path, path: str) -> tuple[MediaFile | None, str]:
        real = place.resolve()
        if not real.is_relative_to(self._root):
            return None, f"figure {path!r} lies outside the bank"
        if real.suffix.lower() not in SUFFIXES:
            known = ", ".join(sorted(suffix[1:] for suffix in SUFFIXES))
            return None, f"figure {path!r} is none of {known}"
        try:
            content = real.read_bytes()
        except IsADirectoryError:
            return None, f"figure {path!r} is a folder"
        except FileNotFoundError:
            beside = [entry.name for entry in place.parent.glob("*") if entry.is_file()]
            return None, f"there is no figure {path!r}{did_you_mean(place.name, beside)}"
        except OSError as error:
            return None, f"figure {path!r} cannot be read: {error.strerror}"
        if real.suffix.lower() == ".svg" and (mistake := svg_mistake(content)):
            return None, f"figure {path!r} {mistake}"
        return MediaFile(real, flat_name(real, content)), ""

    def names(self) -> dict[str, Path]:
        """Every figure that was found, by its name in Anki."""
        files = (file for file, _ in self._found.values() if file is not None)
        return {file.name: file.path for file in sorted(files, key=lambda file: file.name)}

    def unused(self) -> list[Problem]:
        """A warning for each figure below ``cards/`` that no card asked for."""
        used = {file.path for file, _ in self._found.values() if file is not None}
        return [
            Problem(
                Place(path.relative_to(self._root).as_posix()),
                "no card shows this figure",
                severity="warning",
            )
            for path in sorted((self._root / "cards").rglob("*"))
            if path.suffix.lower() in SUFFIXES and path.is_file() and path.resolve() not in used
        ]


def flat_name(path: Path, content: bytes) -> str:
    """``closedbook-graph-0123456789abcdef.svg``: safe in HTML, in zips, on every file system."""
    stem = _UNSAFE.sub("-", path.stem.lower()).strip("-")[:40] or "figure"
    digest = hashlib.sha256(content).hexdigest()[:16]
    return f"closedbook-{stem}-{digest}{path.suffix.lower()}"


def svg_mistake(content: bytes) -> str:
    """Why an SVG may not be shown in somebody's Anki; empty where it may.

    It must be XML without document types and entities, without scripts, event handlers and
    foreign objects, and must load nothing from elsewhere.
    """
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        return "is not UTF-8"
    if "\0" in text or "<!DOCTYPE" in text or "<!ENTITY" in text:
        return "declares a document type or entities: save it as plain SVG"
    try:
        root = ET.fromstring(text)  # noqa: S314 - no entities, see above
    except ET.ParseError as error:
        return f"is no well-formed SVG: {error}"
    if _local(root.tag) != "svg":
        return f"is no SVG: its root is {_local(root.tag)!r}"
    return next(filter(None, map(_element_mistake, root.iter())), "")


def _element_mistake(element: ET.Element) -> str:
    tag = _local(element.tag)
    if tag in _ACTIVE:
        return f"holds a {tag!r}: a figure may not run anything"
    if tag == "style" and _LOADS.search(element.text or ""):
        return "loads something from elsewhere in its style"
    for name, value in element.attrib.items():
        local = _local(name)
        if local.lower().startswith("on"):
            return f"holds an event handler, {local!r}: a figure may not run anything"
        if local in {"href", "src"} and not _WITHIN.match(value):
            return f"points to {value[:60]!r}: a figure must hold all that it shows"
        if _LOADS.search(value):
            return f"loads something from elsewhere in {local!r}"
    return ""


def _local(name: object) -> str:
    return str(name).rsplit("}", 1)[-1]
