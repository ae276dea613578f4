"""Formulas as SVG, set by Typst in the letters that MathJax uses too.

Anki carries MathJax and a browser does not: the preview must show formulas offline, and looks
like the cards this way. Anki's own letters differ in details of spacing only; docs/formulas.png
shows both side by side.
"""

from __future__ import annotations

import html
import re
import threading

from closedbook.render.typst.formulas import Wanted, draw

_FORMULA = re.compile(r"\\\((.*?)\\\)|\\\[(.*?)\\\]", re.DOTALL)
_LARGER = 1.12
"""MathJax sets its letters as high as those around, which are those of a face with high ones."""

_drawn: dict[Wanted, str] = {}
_lock = threading.Lock()


def with_formulas(pages: list[str]) -> list[str]:
    """HTML with each formula between MathJax's delimiters drawn."""
    wanted = {
        (html.unescape(inline or display), bool(display))
        for page in pages
        for inline, display in _FORMULA.findall(page)
    }
    with _lock:
        _drawn.update(draw(sorted(wanted - _drawn.keys()), _LARGER))

    def show(match: re.Match[str]) -> str:
        tex = match[1] if match[1] is not None else match[2]
        return _drawn[html.unescape(tex), match[1] is None]

    return [_FORMULA.sub(show, page) for page in pages]
