"""The one door to Typst: data in, PDF and marks out.

One compiler serves all variants. It sees a folder of its own with the templates and the bank's
figures, and nothing else; fonts are those of the wheel and of the bank's ``fonts/``, never the
system's, so that every machine sets the same page.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from types import TracebackType
from typing import Any

import typst

from closedbook.render.typst import library

TIMESTAMP = 946684800
"""The date in every PDF, 2000-01-01 in seconds: the same source gives the same bytes."""

_TEMPLATES = (
    ("closedbook.export.exam", "paper.typ"),
    ("closedbook.export.exam", "marking.typ"),
)
DATA = "data.json"
"""The file in the folder from which the templates read."""
_GLYPH = re.compile(r'the text `"((?:[^"\\]|\\.)*)"` could not be displayed with font')


@dataclass(frozen=True, slots=True)
class Mark:
    """The start or the end of a piece, or a fault that the template found at it."""

    card: str
    what: str
    edge: str
    page: int
    y: float


class SettingError(Exception):
    """Typst refused a document. ``glyphs`` are characters that no font has."""

    def __init__(self, told: str) -> None:
        super().__init__(told)
        self.told = told
        self.glyphs = tuple(dict.fromkeys(_GLYPH.findall(told)))


class Typesetter:
    """Sets documents from data; a context manager, for its folder is temporary."""

    def __init__(self, bank: Path) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="closedbook-")
        root = Path(self._temporary.name)
        for package, name in _TEMPLATES:
            template = resources.files(package).joinpath("data", name)
            (root / name).write_bytes(template.read_bytes())
        for name, source in library().items():
            (root / name).write_bytes(source)
        self.folder = root
        self._bank = bank
        self._font_paths = [fonts] if (fonts := bank / "fonts").is_dir() else []
        self._compilers: dict[str, typst.Compiler] = {}

    def __enter__(self) -> Typesetter:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Remove the folder."""
        self._temporary.cleanup()

    def add_figures(self, names: Iterable[str]) -> None:
        """Copy figures of the bank, named from its folder, to where the compiler sees them."""
        for name in names:
            target = self.folder / name
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self._bank / name, target)

    def pdf(self, data: Mapping[str, Any] | str, template: str = "paper.typ") -> bytes:
        """The PDF (PDF/UA-1, tagged). Raises :class:`SettingError` where Typst refuses."""
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        # By a file, and not by sys.inputs: these belong to Typst's library, and where the library
        # changes, nothing of an earlier layout is taken up again.
        (self.folder / DATA).write_text(text, encoding="utf-8")
        try:
            found = self._compiler(template).compile(
                format="pdf",
                pdf_standards=["ua-1"],
                timestamp=TIMESTAMP,
            )
        except typst.TypstError as error:
            raise SettingError(error.diagnostic or error.message) from error
        if not isinstance(found, bytes):
            raise SettingError("Typst gave no single PDF")
        return found

    def marks(self, template: str = "paper.typ", label: str = "marks") -> list[Any]:
        """The marks of the last document, with their places; costs next to nothing."""
        told = self._compiler(template).query(f"<{label}>", field="value", one=True)
        values: list[Any] = json.loads(told)
        return values

    def _compiler(self, template: str) -> typst.Compiler:
        if template not in self._compilers:
            self._compilers[template] = typst.Compiler(
                str(self.folder / template),
                root=str(self.folder),
                font_paths=[str(path) for path in self._font_paths],
                ignore_system_fonts=True,
            )
        return self._compilers[template]


def font_families(fonts: Path) -> tuple[str, ...]:
    """The families that a bank's ``fonts/`` brings, sorted."""
    if not fonts.is_dir():
        return ()
    own = typst.Fonts(
        include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(fonts)]
    )
    return tuple(sorted(set(own.families())))


def read_marks(values: Iterable[Mapping[str, Any]]) -> list[Mark]:
    """The marks as values of their own type."""
    return [Mark(v["card"], v["what"], v["edge"], v["page"], v["y"]) for v in values]
