"""Texts in the form in which Moodle takes them over and shows them unchanged."""

from __future__ import annotations

import base64
import re
from pathlib import Path
from xml.etree import ElementTree as ET
from xml.sax.saxutils import unescape

from closedbook.export.lms.styles import with_styles
from closedbook.paper.seed import digest
from closedbook.render.tree import Image

BLANK = "<blank>"
"""Where a short answer has its field within the text."""

_TEXT = re.compile("<text>(.*?)</text>", re.DOTALL)
_CODE = re.compile(r"(<pre[^>]*>)?<code\b.*?</code>", re.DOTALL)
_OUTSIDE_TAGS = re.compile("(<[^>]*>)")
_FACES = (
    ":-) :) :-D ;-) :-/ V-. :-P :-p B-) ^-) 8-) :o) :-( :( 8-. :-I :-X 8-o P-| 8-[ (grr) xx-P "
    "|-. }-] (h) (heart) (y) (n) (martin)"
)
_READ_BY_MOODLE = re.compile(
    "|".join(map(re.escape, ["( )", *_FACES.split()])) + "|_{5,}|@@PLUGINFILE@@"
)
"""What its filter for emoticons looks for, the underlines that it takes for a field's place, and
what it puts the address of a figure in for."""


def with_cdata(xml: str) -> str:
    """The document with each ``<text>`` as CDATA.

    Moodle's reader drops a run of blanks that stands between two references, and with it the
    blanks and line ends between the highlighted words of code.
    """
    return _TEXT.sub(_section, xml)


def _section(text: re.Match[str]) -> str:
    raw = unescape(text[1]).replace("]]>", "]]]]><![CDATA[>")
    return f"<text><![CDATA[{raw}]]></text>"


def shown(html: str) -> str:
    """HTML that Moodle's filters leave as it is, with a style at each element that wants one.

    Code within a line is kept from every filter; in other texts the last sign of what looks like
    an emoticon, a field or a figure is a reference.
    """
    html = _CODE.sub(_kept_from_filters, with_styles(html))
    parts = _OUTSIDE_TAGS.split(html)
    parts[::2] = [_READ_BY_MOODLE.sub(_referred, part) for part in parts[::2]]
    return "".join(parts).replace(BLANK, "_" * 20)


def _kept_from_filters(code: re.Match[str]) -> str:
    return code[0] if code[1] else f'<span class="nolink">{code[0]}</span>'


def _referred(found: re.Match[str]) -> str:
    signs = found[0]
    if signs.startswith("_"):
        return "&#95;" * len(signs)
    return f"{signs[:-1]}&#{ord(signs[-1])};"


def add_text(parent: ET.Element, text: str) -> None:
    """The text of a name, an answer or a category."""
    ET.SubElement(parent, "text").text = text


class Texts:
    """Texts in HTML, each with the figures that it shows. ``image`` is for a writer."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._figures: dict[str, str] = {}

    def image(self, image: Image) -> str:
        """The address of a figure, which travels with the text that is added next."""
        name = f"{digest(image.path).hex()[:12]}{Path(image.path).suffix}"
        self._figures[name] = image.path
        return f"@@PLUGINFILE@@/{name}"

    def fill(self, node: ET.Element, html: str) -> None:
        """Give an element its text and its figures."""
        add_text(node, shown(html))
        for figure, path in sorted(self._figures.items()):
            data = base64.b64encode((self._root / path).read_bytes()).decode("ascii")
            ET.SubElement(node, "file", name=figure, path="/", encoding="base64").text = data
        self._figures.clear()

    def add(self, parent: ET.Element, name: str, html: str) -> None:
        """An element with a text and its figures."""
        self.fill(ET.SubElement(parent, name, format="html"), html)
