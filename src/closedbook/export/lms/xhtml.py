"""HTML of the tree as the well-formed XHTML that QTI 2.1 allows."""

from __future__ import annotations

from html.parser import HTMLParser
from xml.etree import ElementTree as ET

_VOID = frozenset({"br", "hr", "img"})
_ALLOWED = {
    "a": {"href"},
    "img": {"src", "alt"},
    "th": {"scope"},
}
_ELEMENTS = _VOID | {
    *("a", "b", "blockquote", "code", "div", "em", "i", "li", "ol", "p", "pre", "q", "span"),
    *("strong", "sub", "sup", "h1", "h2", "h3", "h4", "h5", "h6", "ul"),
    *("caption", "table", "tbody", "td", "tfoot", "th", "thead", "tr"),
}
"""What QTI 2.1 takes over from XHTML; of anything else, such as ``wbr``, only the text is kept."""
_CLASSED = frozenset({"div", "span", "p", "code", "pre", "td", "th", "table"})


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = ET.Element("div")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _ELEMENTS:
            return
        allowed = _ALLOWED.get(tag, set()) | ({"class"} if tag in _CLASSED else set())
        kept = {name: value or "" for name, value in attrs if name in allowed}
        node = ET.SubElement(self.open[-1], tag, kept)
        if tag not in _VOID:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if tag in _ELEMENTS - _VOID:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        parent = self.open[-1]
        if len(parent):
            parent[-1].tail = (parent[-1].tail or "") + data
        else:
            parent.text = (parent.text or "") + data


def to_xhtml(html: str) -> ET.Element:
    """A ``div`` with the HTML inside, element by element."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.root
