r"""The one place where text becomes HTML, for pages and for the fields of Anki.

Four targets:

``page``
    A plain HTML page: ``& < > " '``.
``platform``
    A page of a learning platform, on which somebody else's MathJax runs: as well, a ``\(``, ``\[``
    or ``$$`` that the author did not mean as maths, and ``{``, with which Moodle begins a field.
``field``
    A field of an Anki note: as a page, and ``[`` where Anki would see ``[sound:…]``, ``[latex]`` or
    ``[$]``, and a ``\(`` or ``\[`` that the author did not mean as maths.
``cloze``
    The text field of a cloze note: as well, ``{ } :``, so that ``{{c1::`` and ``::`` written by
    the author never begin a gap, end one or begin a hint.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Literal

Target = Literal["page", "platform", "field", "cloze"]

_PAGE = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;"}
_CLOZE = _PAGE | {"{": "&#123;", "}": "&#125;", ":": "&#58;"}
_ESCAPES = {
    "page": str.maketrans(_PAGE),
    "platform": str.maketrans(_PAGE | {"{": "&#123;"}),
    "field": str.maketrans(_PAGE),
    "cloze": str.maketrans(_CLOZE),
}

# What Anki itself reads in a field: [sound:…], [anki:…], [latex], [$], [$$], [/…] of these,
# and [[type:…]], which its reviewer looks for in the whole card
_ANKI_TAG = re.compile(r"\[(?=/?(?:sound|anki|latex|\$)|\[type:)", re.IGNORECASE)
_MATHJAX = re.compile(r"\\(?=[(\[])")
_ANY_MATHS = re.compile(r"\\(?=[(\[])|\$(?=\$)")


def text(raw: str, target: Target = "page") -> str:
    """Characters as HTML that shows exactly them."""
    if target == "page":
        return raw.translate(_ESCAPES["page"])
    if target == "platform":
        return _ANY_MATHS.sub(r"<span>\g<0></span>", raw.translate(_ESCAPES["platform"]))
    raw = unicodedata.normalize("NFC", raw)
    escaped = raw.translate(_ESCAPES[target])
    escaped = _ANKI_TAG.sub("&#91;", escaped)
    if escaped and unicodedata.combining(escaped[0]):
        # Anki normalises the whole field: a mark would melt into the bracket of the tag before it
        escaped = f"&#{ord(escaped[0])};{escaped[1:]}"
    # MathJax reads text nodes joined, but never across an element
    return _MATHJAX.sub(r"<span>\\</span>", escaped)


def attribute(raw: str, target: Target = "page") -> str:
    """Characters for a quoted attribute."""
    if target == "platform":
        return raw.translate(_ESCAPES["platform"]).replace("\n", "&#10;")
    escaped = text(raw, "page" if target == "page" else "cloze").replace("[", "&#91;")
    return escaped.replace("\n", "&#10;").replace("<span>\\</span>", "\\")


def maths(tex: str, target: Target = "page") -> str:
    """LaTeX between MathJax's delimiters: MathJax sees what the author typed.

    In a cloze field braces that meet are set apart (``}}`` becomes ``} }``): Anki's editor
    writes entities back as characters, and a space between braces means nothing to TeX.
    """
    if target in ("page", "platform"):
        return tex.translate(_ESCAPES[target])
    tex = unicodedata.normalize("NFC", tex)
    if target == "cloze":
        tex = re.sub(r"(?<=\})(?=\})|(?<=\{)(?=\{)", " ", tex)
    escaped = tex.translate(_ESCAPES["page"])
    if target == "cloze":
        escaped = escaped.replace("::", "&#58;&#58;")
    return _ANKI_TAG.sub("&#91;", escaped)
