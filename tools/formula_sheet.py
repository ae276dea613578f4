"""Sets the formulas of tests/render/formulas.txt by Typst and by MathJax, side by side.

    python tools/formula_sheet.py [OUTPUT.png]

Needs node and npm: MathJax is installed into a cache folder the first time. The picture is for
a person's eye; docs/formulas.png holds the last one that somebody looked at, and
tests/render/formulas_golden.txt what Typst was given for it, which the tests compare.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import typst

from closedbook.render import maths
from closedbook.render.typst.compiler import library

ROOT = Path(__file__).resolve().parent.parent
MATHJAX = "mathjax-full@3.2.2"
PAGE = """
#import "tree.typ": formula
#set document(title: "Formulas")
#set page(width: 27cm, height: auto, margin: 8mm)
#set text(size: 9pt)
#let data = json(bytes(sys.inputs.data))
#table(
  columns: (8cm, 1fr, 1fr), stroke: 0.3pt + luma(180), align: horizon, inset: 5pt,
  table.header([LaTeX], [Typst, on paper], [MathJax, in Anki]),
  ..data.map(row => (
    raw(row.tex),
    math.equation(formula(row.typst, ()), alt: row.spoken, block: true),
    align(center, image(row.svg, alt: row.spoken)),
  )).flatten(),
)
"""


def formulas() -> list[str]:
    """The lines of the test's list, comments left out."""
    text = (ROOT / "tests/render/formulas.txt").read_text("utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def mathjax(texs: list[str], *without: str) -> list[str]:
    """MathJax's SVG of each formula; ``without`` are packages to leave out."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "closedbook-mathjax"
    if not (cache / "node_modules/mathjax-full").is_dir():
        cache.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            ["npm", "install", "--prefix", str(cache), "--no-audit", "--no-fund", MATHJAX],
            check=True,
            timeout=300,
        )
    script = cache / "mathjax.mjs"
    script.write_bytes((ROOT / "tools/mathjax.mjs").read_bytes())
    done = subprocess.run(
        ["node", str(script), *without],
        input=json.dumps(texs),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return [sized(svg) for svg in json.loads(done.stdout)]


def sized(svg: str) -> str:
    """MathJax gives sizes in ex, which Typst does not read: points instead."""
    svg = re.sub(
        r"<rect (?![^>]*stroke)", '<rect stroke="black" stroke-width="25" ', svg
    )  # else hairlines vanish
    return re.sub(
        r'(width|height)="([\d.]+)ex"', lambda m: f'{m[1]}="{float(m[2]) * 4.3:.3f}pt"', svg
    )


def main() -> None:
    """Write the sheet."""
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs/formulas.png"
    rows, files = [], {"main.typ": PAGE.encode(), **library()}
    texs = formulas()
    sent = [maths.for_mathjax(tex) for tex in texs]
    for tex, *svgs in zip(texs, mathjax(sent), mathjax(sent, "textmacros"), strict=True):
        for svg in svgs:
            if fault := re.search(r'data-mjx-error="([^"]*)"', svg):
                sys.exit(f"MathJax refuses {tex}: {fault[1]}")
    for number, (tex, svg) in enumerate(zip(texs, mathjax(sent), strict=True)):
        formula, problems = maths.translate(tex, block=True)
        if formula is None:
            sys.exit(f"{tex}\n{problems[0].message}")
        files[f"{number}.svg"] = svg.encode()
        rows.append(
            {"tex": tex, "typst": formula.typst, "spoken": formula.spoken, "svg": f"{number}.svg"}
        )
    golden = "".join(f"{r['tex']}\n    {r['typst']}\n    {r['spoken']}\n" for r in rows)
    (ROOT / "tests/render/formulas_golden.txt").write_text(golden, "utf-8")
    png = typst.compile(files, sys_inputs={"data": json.dumps(rows)}, format="png", ppi=110)
    output.write_bytes(png)
    print(output)


if __name__ == "__main__":
    main()
