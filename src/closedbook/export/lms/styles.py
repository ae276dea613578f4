"""How tables and code look on a platform that has no style for them."""

from __future__ import annotations

import re

from closedbook.render.css import code_styles

_CODE = code_styles()
_CELL = "border: 1px solid #8f959e; padding: 0.2em 0.6em; text-align: left; vertical-align: top"
_STYLES = {
    "pre": "background: #f4f5f7; color: #1d2125; padding: 0.5em 0.8em; overflow-x: auto",
    "table": "border-collapse: collapse; margin: 0.6em 0",
    "td": _CELL,
    "th": _CELL,
    ".left": "text-align: left",
    ".center": "text-align: center",
    ".right": "text-align: right",
    ".short": "white-space: nowrap",
    ".filled": "border-bottom: 2px solid",
    ".numbered": "list-style: none",
}
_TAG = re.compile(r'<(\w+)((?: [\w-]+="[^"]*")*)>')
_CLASS = re.compile(r' class="([^"]*)"')


def style_sheet() -> str:
    """The styles as CSS, for classes as :mod:`closedbook.render.html` gives them."""
    rules = _STYLES | {f".highlight .{name}": style for name, style in _CODE.items()}
    return "".join(f"{selector} {{ {style} }}\n" for selector, style in rules.items())


def with_styles(html: str) -> str:
    """The HTML with each style at its element, in place of the classes."""
    return _TAG.sub(_styled, html)


def _styled(tag: re.Match[str]) -> str:
    found = _CLASS.search(tag[2])
    names = found[1].split() if found else []
    styles = [_STYLES.get(tag[1]), *(_STYLES.get(f".{name}", _CODE.get(name)) for name in names)]
    style = "; ".join(style for style in styles if style)
    shown = f' style="{style}"' if style else ""
    return f"<{tag[1]}{_CLASS.sub('', tag[2])}{shown}>"
