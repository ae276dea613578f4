"""Formulas as pictures inside their page, set by Typst: maths without a script or a network."""

from __future__ import annotations

import json
import re
import tempfile
from html import escape
from importlib import resources
from pathlib import Path

import typst

from closedbook.render import maths
from closedbook.render.typst import library

_SIZE = 11.0
"""In points: what one em of the page's text is to the pictures."""


class Formulas:
    """Turns LaTeX into inline SVG; each formula is set once an exam."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="closedbook-")
        root = Path(self._folder.name)
        for name, source in library().items():
            (root / name).write_bytes(source)
        template = resources.files("closedbook.export.lms").joinpath("data", "formula.typ")
        (root / "formula.typ").write_bytes(template.read_bytes())
        self._compiler = typst.Compiler(
            str(root / "formula.typ"), root=str(root), ignore_system_fonts=True
        )
        self._set: dict[tuple[str, bool], str] = {}

    def close(self) -> None:
        """Remove the folder that the compiler worked in."""
        self._folder.cleanup()

    def show(self, tex: str, display: bool) -> str:
        """The formula as HTML: an SVG with its spoken form as its name."""
        key = (tex, display)
        if key not in self._set:
            self._set[key] = self._draw(tex, display)
        return self._set[key]

    def _draw(self, tex: str, display: bool) -> str:
        formula, _ = maths.translate(tex, block=display)
        if formula is None:  # verified formulas can be set; a filled gap in one may not be
            return f"<code>{escape(tex)}</code>"
        data = json.dumps({"source": formula.typst, "display": display, "size": _SIZE})
        found = self._compiler.compile(format="svg", sys_inputs={"data": data})
        raw = found[0] if isinstance(found, list) else found
        if not isinstance(raw, bytes):
            raise TypeError("Typst gave no SVG")
        depth = float(json.loads(self._compiler.query("<depth>", field="value"))[0])
        return _inline(raw.decode(), formula.spoken, depth, display)


def _inline(svg: str, spoken: str, depth: float, display: bool) -> str:
    """The SVG sized in em, sitting on the line's baseline, with a name and no outer colours."""
    width, height = (
        float(re.search(rf'<svg[^>]* {side}="([0-9.]+)pt"', svg)[1]) / _SIZE  # type: ignore[index] # Typst writes both
        for side in ("width", "height")
    )
    label = escape(spoken, quote=True)
    style = f"width:{width:.3f}em;height:{height:.3f}em;vertical-align:{-depth / _SIZE:.3f}em"
    svg = re.sub(
        r"<svg ([^>]*?)width=\"[^\"]*\" height=\"[^\"]*\"",
        rf'<svg class="formula" role="img" aria-label="{label}" style="{style}" \1',
        svg,
        count=1,
    )
    return f'<div class="display">{svg}</div>' if display else svg
