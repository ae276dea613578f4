"""What a finished PDF prints: its runs of text, told apart by ink.

Of each run PDFium is asked four things, some hundred times a page, so the questions go to it as
plain numbers: pypdfium2's own functions check a pointer at each call, which takes longer than the
answer.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from ctypes import c_float, c_int, c_uint, c_ulong, c_void_p
from dataclasses import dataclass
from typing import Any

import pypdfium2
from pypdfium2 import raw

from closedbook.export.exam import inks

_INK_BYTES = 3 * ctypes.sizeof(c_uint)


def _ink(colour: str) -> bytes:
    """A colour, ``#8c1d18``, as PDFium writes it."""
    return bytes((c_uint * 3)(*bytes.fromhex(colour[1:])))


_KEY = _ink(inks.KEY)
_AROUND = (_ink(inks.FURNITURE), _ink(inks.BESIDE_CODE))

_BUFFER = 1 << 15
"""The longest run, in 16-bit characters with the final zero."""
_FAR = 1e6
"""Further from the page than any text gets, in points."""


def _plain(name: str, result: Any, *arguments: Any) -> Callable[..., Any]:
    """The function of PDFium, its pointers as numbers."""
    address = ctypes.cast(getattr(raw, name), c_void_p).value
    if address is None:
        raise ImportError(f"PDFium has no {name}")
    return ctypes.CFUNCTYPE(result, *arguments)(address)


_count = _plain("FPDFPage_CountObjects", c_int, c_void_p)
_object = _plain("FPDFPage_GetObject", c_void_p, c_void_p, c_int)
_text_of = _plain("FPDFTextObj_GetText", c_ulong, c_void_p, c_void_p, c_void_p, c_ulong)
_colour = _plain("FPDFPageObj_GetFillColor", c_int, c_void_p, *(c_void_p,) * 4)
_bounds = _plain("FPDFPageObj_GetBounds", c_int, c_void_p, *(c_void_p,) * 4)


@dataclass(frozen=True, slots=True)
class Printed:
    """The text of a PDF by ink, without any white space, and its number of pages."""

    asked: str
    answers: str
    furniture: tuple[str, ...]
    """One text a page."""
    lost: tuple[tuple[int, str], ...] = ()
    """Runs of text that reach over the edge of their page: how much of ``asked`` stands before
    each, and its text."""

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return len(self.furniture)


def read(pdf: bytes) -> Printed:
    """What the PDF prints."""
    asked: list[bytes] = []
    answers: list[bytes] = []
    furniture: list[str] = []
    lost: list[tuple[int, bytes]] = []
    document = pypdfium2.PdfDocument(pdf)
    try:
        for page in document:
            around: list[bytes] = []
            texts = {_KEY: answers, **dict.fromkeys(_AROUND, around)}
            for ink, inside, text in _runs(page):
                texts.get(ink, asked).append(text)
                if not inside:
                    lost.append((len(asked), text))
            furniture.append(_text(around))
    finally:
        document.close()
    before = tuple((len(_text(asked[:runs])), _decoded(text)) for runs, text in lost)
    return Printed(_text(asked), _text(answers), tuple(furniture), before)


def _text(runs: Sequence[bytes]) -> str:
    return squeeze(_decoded(b"".join(runs)))


def _decoded(text: bytes) -> str:
    return text.decode("utf-16-le", "replace")


def squeeze(text: str) -> str:
    """The text without white space and in composed form, as two layouts can be compared.

    PDFium shows a hyphen that ends a line as U+0002 or U+FFFE: it may belong to the word or not.
    Papers are set without hyphenation, so it does.
    """
    text = text.replace("\x02", "-").replace("\ufffe", "-")
    return unicodedata.normalize("NFC", re.sub(r"[\s\x00\xa0\xad\u200b\ufeff]+", "", text))


def _runs(page: pypdfium2.PdfPage) -> Iterator[tuple[bytes, bool, bytes]]:
    """Each run of text on the page, in the order of the page's content.

    With its fill colour, whether all of it lies on the page, and the text as UTF-16. Runs are
    decoded together, and edges are looked at run by run only where something reaches over one.
    """
    width, height = page.get_size()
    box, ink, buffer = (c_float * 4)(), (c_uint * 4)(), ctypes.create_string_buffer(_BUFFER * 2)
    sides = [ctypes.addressof(box) + at * ctypes.sizeof(c_float) for at in range(4)]
    channels = [ctypes.addressof(ink) + at * ctypes.sizeof(c_uint) for at in range(4)]
    wide, copied = ctypes.addressof(buffer), ctypes.string_at
    text_page = page.get_textpage()
    opened, text = (ctypes.cast(each.raw, c_void_p).value for each in (page, text_page))
    over = _reaches_over(text_page.raw, width, height)
    inside = True
    for index in range(_count(opened)):
        run = _object(opened, index)
        length = _text_of(run, text, wide, _BUFFER)
        if length <= 2:  # no text object, or one without any
            continue
        _colour(run, *channels)
        if over:
            _bounds(run, *sides)
            left, bottom, right, top = box
            inside = left >= 0 and right <= width and bottom >= 0 and top <= height
        yield copied(channels[0], _INK_BYTES), inside, copied(wide, length - 2)
    text_page.close()


def _reaches_over(text: object, width: float, height: float) -> bool:
    """Whether any character touches what lies around the page: one look at each of its sides."""
    far = _FAR
    sides = (  # left, top, right, bottom of each
        (-far, far, 0, -far),
        (width, far, far, -far),
        (-far, far, far, height),
        (-far, 0, far, -far),
    )
    return any(raw.FPDFText_GetBoundedText(text, *side, None, 0) > 0 for side in sides)
