"""Formulas as pictures inside a page, for browsers: maths without a script or a network."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from closedbook.render import maths
from closedbook.render.typst.compiler import Compiler, template

_SIZE = 11.0
"""Points of an em in ``formulas.typ``."""

Wanted = tuple[str, bool]
"""LaTeX, and whether it is set apart."""


def draw(wanted: Iterable[Wanted], larger: float = 1.0) -> dict[Wanted, str]:
    """Each formula as HTML: an SVG on the text's line, in its colour, with its spoken form as name.

    It scales with the text, ``larger`` times as large. What cannot be set is shown as LaTeX, and
    why as its title.
    """
    drawn: dict[Wanted, str] = {}
    rows: dict[Wanted, maths.Formula] = {}
    for tex, display in wanted:
        formula, problems = maths.translate(tex, block=display)
        if formula is None:
            told = escape(problems[0].message)
            drawn[tex, display] = f'<code class="fault" title="{told}">{escape(tex)}</code>'
        else:
            rows[tex, display] = formula
    if not rows:
        return drawn
    data = [{"typst": row.typst, "display": display} for (_, display), row in rows.items()]
    with Compiler(template(__package__, "formulas.typ")) as compiler:
        pages, depths = compiler.svg(data), compiler.query("depth")
    for (tex, display), svg, depth in zip(rows, pages, depths, strict=True):
        spoken = rows[tex, display].spoken or tex
        drawn[tex, display] = _element(svg, spoken, display, depth, _SIZE / larger)
    return drawn


def _element(svg: str, spoken: str, display: bool, depth: float, em: float) -> str:
    """The SVG in ems. It hangs ``depth`` points below the line; an em is ``em`` points."""
    head, _, body = svg[svg.index("<svg") :].partition(">")
    given = dict(re.findall(r'(\w+)="([^"]*)"', head))
    width, height = (float(given[side].removesuffix("pt")) / em for side in ("width", "height"))
    style = f"width:{width:.3f}em;height:{height:.3f}em"
    if not display:
        style += f";vertical-align:{-depth / em:.3f}em"
    body = re.sub(r'(fill|stroke)="#000000"', r'\1="currentColor"', body)
    return (
        f'<span class="formula {"display" if display else "inline"}">'
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{given["viewBox"]}" style="{style}" '
        f'role="img" aria-label="{escape(spoken)}">{body}</span>'
    )
