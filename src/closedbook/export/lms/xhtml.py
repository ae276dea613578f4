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
_CLASSED = frozenset({"div", "span", "p", "code", "pre", "td", "th", "table", "ul"})


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.root = ET.Element("div")
        self.open = [self.root]
        self.numbers: list[int | None] = []  # the next one of each open list that is numbered here

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _ELEMENTS:
            return
        if tag in ("ol", "ul"):
            start = dict(attrs).get("start")
            self.numbers.append(int(start) if start else None)
            tag, attrs = ("ul", [("class", "numbered")]) if start else (tag, [])
        allowed = _ALLOWED.get(tag, set()) | ({"class"} if tag in _CLASSED else set())
        kept = {name: value or "" for name, value in attrs if name in allowed}
        node = ET.SubElement(self.open[-1], tag, kept)
        if tag not in _VOID:
            self.open.append(node)
        if tag == "li":
            self._number(node)
        elif tag == "p" and self.numbers and self.numbers[-1] is not None:
            self._take_number(node)

    def _number(self, item: ET.Element) -> None:
        """QTI's lists begin with 1: another number is text, before all else in the item."""
        number = self.numbers[-1]
        if number is not None:
            item.text = f"{number}. "
            self.numbers[-1] = number + 1

    def _take_number(self, paragraph: ET.Element) -> None:
        """The number of an item stands on the line of its first paragraph."""
        item = self.open[-2]
        if item.tag == "li" and len(item) == 1:
            paragraph.text, item.text = item.text, None

    def handle_endtag(self, tag: str) -> None:
        if tag in _ELEMENTS - _VOID:
            self.open.pop()
        if tag in ("ol", "ul"):
            self.numbers.pop()

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
