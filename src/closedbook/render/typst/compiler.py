"""The compiler: a template and data in; PDF, SVG and what the template marked out.

It sees a folder of its own, with the template, ``tree.typ`` and what is put beside them, and
nothing else; fonts are those of the wheel and of a folder that is named, never the system's, so
that every machine sets the same page.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import typst

TIMESTAMP = 946684800
"""The date in every PDF, 2000-01-01 in seconds: the same source gives the same bytes."""

MAIN = "main.typ"
"""The template's name in the folder."""
DATA = "data.json"
"""The file in the folder from which the template reads."""
_LIBRARY = ("tree.typ", "print.tmTheme")
_FIGURE = b"#set page(width: auto, height: auto, margin: 0pt)\n#image(sys.inputs.path)"
_GLYPH = re.compile(r'the text `"((?:[^"\\]|\\.)*)"` could not be displayed with font')


class SettingError(Exception):
    """Typst refused a document. ``glyphs`` are characters that no font has."""

    def __init__(self, told: str) -> None:
        super().__init__(told)
        self.told = told
        self.glyphs = tuple(dict.fromkeys(_GLYPH.findall(told)))


def library() -> dict[str, bytes]:
    """The files that set nodes, by name; they have to lie in one folder.

    ``#import "tree.typ": tree`` then ``#tree(nodes, card: "linear-grad-shapes")``.
    """
    return {name: template(__package__, name) for name in _LIBRARY}


def template(package: str, name: str) -> bytes:
    """The source of a template, which lies in ``data`` of a package of closedbook's."""
    return (files(package) / "data" / name).read_bytes()


class Compiler:
    """Sets one template's documents from data; a context manager, for its folder is temporary.

    One compiler serves many documents: what they share is laid out once. ``fonts`` is a folder of
    fonts beside the wheel's; it need not exist.
    """

    def __init__(self, source: bytes, *, fonts: Path | None = None) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="closedbook-")
        self.folder = Path(self._temporary.name)
        for name, content in {MAIN: source, **library()}.items():
            (self.folder / name).write_bytes(content)
        self._compiler = typst.Compiler(
            str(self.folder / MAIN),
            root=str(self.folder),
            font_paths=[str(fonts)] if fonts and fonts.is_dir() else [],
            ignore_system_fonts=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._temporary.cleanup()

    def pdf(self, data: Mapping[str, Any] | str) -> bytes:
        """The PDF (PDF/UA-1, tagged) of data, or of its JSON.

        Raises :class:`SettingError` where Typst refuses.
        """
        found = self._set(data, format="pdf", pdf_standards=["ua-1"], timestamp=TIMESTAMP)
        if not isinstance(found, bytes):
            raise SettingError("Typst gave no single PDF")
        return found

    def svg(self, data: Mapping[str, Any] | Sequence[Any] | str | None = None) -> list[str]:
        """The pages as SVG, of data or its JSON, or of the last document; as in :meth:`pdf`."""
        found = self._set(data, format="svg")
        pages = [found] if isinstance(found, bytes) else found or ()
        return [page.decode() for page in pages]

    def query(self, label: str) -> list[Any]:
        """The values of the metadata of that label in the last document; costs next to nothing."""
        values: list[Any] = json.loads(self._compiler.query(f"<{label}>", field="value"))
        return values

    def _set(self, data: object, **wanted: Any) -> bytes | list[bytes] | None:
        if data is not None:
            text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
            # By a file, and not by sys.inputs: these belong to Typst's library, and where the
            # library changes, nothing of an earlier layout is taken up again.
            (self.folder / DATA).write_text(text, encoding="utf-8")
        try:
            return self._compiler.compile(**wanted)
        except typst.TypstError as error:
            raise SettingError(error.diagnostic or error.message) from error


def font_families(fonts: Path) -> tuple[str, ...]:
    """The families that a bank's ``fonts/`` brings, sorted."""
    if not fonts.is_dir():
        return ()
    own = typst.Fonts(
        include_system_fonts=False, include_embedded_fonts=False, font_paths=[str(fonts)]
    )
    return tuple(sorted(set(own.families())))


def figure_pdf(root: Path, path: str) -> bytes:
    """A figure of the bank at ``root`` as a PDF of its own size; its path is data, never markup."""
    # The stub wants the input and the root to be of one type; a text for input is a path.
    return typst.compile(  # type: ignore[type-var]  # see above
        _FIGURE,
        root=str(root),
        sys_inputs={"path": f"/{path}"},
        ignore_system_fonts=True,
        timestamp=0,
    )
