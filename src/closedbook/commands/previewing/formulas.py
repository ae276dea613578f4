"""Formulas as SVG, set by Typst in the letters that MathJax uses too.

Anki carries MathJax and a browser does not: the preview must show formulas offline, and looks
like the cards this way. Anki's own letters differ in details of spacing only; docs/formulas.png
shows both side by side.
"""

from __future__ import annotations

import html
import json
import re
import tempfile
import threading
from pathlib import Path

import typst

from closedbook.render import maths
from closedbook.render.typst import library

_FORMULA = re.compile(r"\\\((.*?)\\\)|\\\[(.*?)\\\]", re.DOTALL)
_SIZE = 11.0 / 1.12  # points to an em: MathJax too sets its letters as high as those around
_STRUT = 200.0
_PAGES = """
#import "tree.typ": formula
#set document(title: "Formulas")
#set page(width: auto, height: auto, margin: (x: 0.5pt, y: 0pt), fill: none)
#set text(size: 11pt)
#set par(leading: 0pt)  // else Typst takes a part of it for the ink of a formula
#let data = json(bytes(sys.inputs.data))
#for (number, row) in data.enumerate() {
  if number > 0 { pagebreak() }
  let equation = math.equation(formula(row.typst, ()), alt: row.spoken, block: row.display)
  equation
  if not row.display {
    context {
      // a strut that stands on the line: what is more than the strut hangs below the line
      let tall = measure([#equation#box(width: 1pt, height: 200pt)]).height
      [#metadata(tall / 1pt) <depth>]
    }
  } else [#metadata(200) <depth>]
}
"""

_drawn: dict[tuple[str, bool], str] = {}
_lock = threading.Lock()


def with_formulas(pages: list[str]) -> list[str]:
    """HTML with each formula between MathJax's delimiters drawn."""
    wanted = {
        (html.unescape(inline or display), bool(display))
        for page in pages
        for inline, display in _FORMULA.findall(page)
    }
    with _lock:
        _draw(sorted(wanted - _drawn.keys()))

    def show(match: re.Match[str]) -> str:
        tex = match[1] if match[1] is not None else match[2]
        return _drawn[html.unescape(tex), match[1] is None]

    return [_FORMULA.sub(show, page) for page in pages]


def _draw(formulas: list[tuple[str, bool]]) -> None:
    rows = []
    keys = []
    for tex, display in formulas:
        formula, problems = maths.translate(tex, block=display)
        if formula is None:
            told = html.escape(problems[0].message)
            _drawn[tex, display] = f'<code class="fault" title="{told}">{html.escape(tex)}</code>'
            continue
        rows.append({"typst": formula.typst, "spoken": formula.spoken or tex, "display": display})
        keys.append((tex, display))
    if not rows:
        return
    svgs, depths = _set(json.dumps(rows))
    for key, row, svg, depth in zip(keys, rows, svgs, depths, strict=True):
        _drawn[key] = _element(svg.decode(), str(row["spoken"]), key[1], depth - _STRUT)


def _set(data: str) -> tuple[list[bytes], list[float]]:
    """A page for each formula, and how far its line lies below the top of a strut."""
    with tempfile.TemporaryDirectory(prefix="closedbook-") as folder:
        for name, content in {"main.typ": _PAGES.encode(), **library()}.items():
            Path(folder, name).write_bytes(content)
        compiler = typst.Compiler(f"{folder}/main.typ", root=folder, sys_inputs={"data": data})
        pages = compiler.compile(format="svg")
        depths = json.loads(compiler.query("<depth>", field="value"))
    return [pages] if isinstance(pages, bytes) else list(pages or ()), depths


def _element(svg: str, spoken: str, display: bool, depth: float) -> str:
    """The SVG in units of the text's size, on the text's line, in the text's colour."""
    width, height = (
        float(found[1]) / _SIZE if (found := re.search(rf'{side}="([\d.]+)pt"', svg)) else 1.0
        for side in ("width", "height")
    )
    body = svg[svg.index(">", svg.index("<svg")) + 1 :]
    body = body.replace('fill="#000000"', 'fill="currentColor"')
    body = body.replace('stroke="#000000"', 'stroke="currentColor"')
    box = re.search(r'viewBox="[^"]*"', svg)
    style = f"width:{width:.3f}em;height:{height:.3f}em"
    if not display:
        style += f";vertical-align:{-depth / _SIZE:.3f}em"
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box[0] if box else ""} style="{style}" '
        f'role="img" aria-label="{html.escape(spoken)}">{body}'
    )
    kind = "display" if display else "inline"
    return f'<span class="formula {kind}">{drawn}</span>'
