"""Reading finished PDFs back: what they print, told apart by ink.

The template sets what is asked in one ink, answers in a second and page furniture in a third
(syntax colours count as asked). So a paper and its key can be compared by what stands on their
pages: the key's questions have to be the paper's, to the last character, and the answers that
the key prints have to be those of the paper's own options and blanks.
"""

from __future__ import annotations

import ctypes
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pypdfium2
from pypdfium2 import raw

from closedbook.render.typst import CODE_BLANK

_INK_BYTES = 3 * ctypes.sizeof(ctypes.c_uint)


def _ink(red: int, green: int, blue: int) -> bytes:
    """A colour as PDFium writes it."""
    return bytes((ctypes.c_uint * 3)(red, green, blue))


KEY_INK = _ink(0x8C, 0x1D, 0x18)
FURNITURE_INKS = (_ink(0x56, 0x56, 0x56), _ink(0x6E, 0x6E, 0x6E))
"""Of headers, footers and labels, and of what stands beside code: numbers, marks of wrapping."""

_BUFFER = 1 << 15
_FAR = 1e6
"""Further from the page than any text gets, in points."""


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


@dataclass(frozen=True, slots=True)
class Promise:
    """What a paper and its key have to show for one question."""

    number: int
    card: str
    heading: str
    """``Question 3`` and its points, as printed."""
    letters: tuple[str, ...]
    """The right options' letters."""
    options: tuple[str, ...]
    """All letters, as printed."""
    cloze: bool = False
    hints: tuple[str, ...] = ()
    """The hints of a cloze's gaps, which the paper prints and the filled key does not."""
    figures: int = 0
    """How many figures the answers hold: their lettering has no ink of the key's."""


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
            inks = {KEY_INK: answers, **dict.fromkeys(FURNITURE_INKS, around)}
            for ink, inside, text in _runs(page):
                inks.get(ink, asked).append(text)
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

    With its fill colour, whether all of it lies on the page, and the text as UTF-16. There are
    some hundred runs a page: they are decoded together, and edges are looked at run by run only
    where something reaches over one.
    """
    width, height = page.get_size()
    left, bottom, right, top = box = tuple(ctypes.c_float() for _ in range(4))
    ink = (ctypes.c_uint * 4)()
    at = ctypes.addressof(ink)
    size, pointer = ctypes.sizeof(ctypes.c_uint), ctypes.POINTER(ctypes.c_uint)
    colours = tuple(ctypes.cast(at + channel * size, pointer) for channel in range(4))
    bounds = tuple(map(ctypes.byref, box))
    buffer = ctypes.create_string_buffer(_BUFFER * 2)
    wide = ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR))
    opened, text_page = page.raw, page.get_textpage()
    text = text_page.raw
    over = _reaches_over(text, width, height)
    inside = True
    for index in range(raw.FPDFPage_CountObjects(opened)):
        run = raw.FPDFPage_GetObject(opened, index)
        length = raw.FPDFTextObj_GetText(run, text, wide, _BUFFER)
        if length <= 2:  # no text object, or one without any
            continue
        raw.FPDFPageObj_GetFillColor(run, *colours)
        if over:
            raw.FPDFPageObj_GetBounds(run, *bounds)
            inside = left.value >= 0 and right.value <= width
            inside = inside and bottom.value >= 0 and top.value <= height
        yield ctypes.string_at(at, _INK_BYTES), inside, ctypes.string_at(buffer, length - 2)
    text_page.close()


def _reaches_over(text: object, width: float, height: float) -> bool:
    """Whether any character touches what lies around the page: one look at each of its sides."""
    far = _FAR
    sides = (
        (-far, far, 0, -far),
        (width, far, far, -far),
        (-far, far, far, height),
        (-far, 0, far, -far),
    )  # left, top, right, bottom of each
    return any(raw.FPDFText_GetBoundedText(text, *side, None, 0) > 0 for side in sides)


def disagreements(
    paper: Printed, key: Printed, label: str, promises: Sequence[Promise]
) -> list[tuple[str | None, str]]:
    """Where paper and key do not fit each other: the card, where one can be named, and what."""
    found: list[tuple[str | None, str]] = []
    sections = _sections(paper.asked, promises)
    in_key = _sections(key.asked, promises)
    for promise in promises:
        name = f"question {promise.number} of variant {label}"
        asked, again = sections.get(promise.number), in_key.get(promise.number)
        if asked is None or again is None:
            where = "paper" if asked is None else "key"
            found.append((promise.card, f"the {where} does not print {name}"))
        elif not _same(asked, again, promise):
            found.append(
                (
                    promise.card,
                    f"paper and key print {name} differently: {_difference(asked, again)}",
                )
            )
    before, in_key_before = (_before(printed.asked, promises) for printed in (paper, key))
    if before != in_key_before:
        told = _difference(before, in_key_before)
        found.append((None, f"the first pages of paper and key of variant {label} differ: {told}"))
    found += _letters(key, label, promises)
    found += [*_lost(paper, "paper", label, promises), *_lost(key, "key", label, promises)]
    for printed, what in ((paper, "paper"), (key, "key")):
        found += [
            (
                None,
                f"page {page} of the {what} of variant {label} lacks its variant or number",
            )
            for page in range(1, printed.pages + 1)
            if not _numbered(printed, page, label)
        ]
    return found


def _sections(asked: str, promises: Sequence[Promise]) -> dict[int, str]:
    """The text from each question's heading to the next one's."""
    starts: list[tuple[int, int]] = []
    at = 0
    for promise in promises:
        start = asked.find(squeeze(promise.heading), at)
        if start < 0:
            continue
        starts.append((promise.number, start))
        at = start + len(squeeze(promise.heading))
    ends = [start for _, start in starts[1:]] + [len(asked)]
    return {number: asked[start:end] for (number, start), end in zip(starts, ends, strict=True)}


def _lost(
    printed: Printed, what: str, label: str, promises: Sequence[Promise]
) -> Iterator[tuple[str | None, str]]:
    """Texts that run off their page, with the card whose question they stand in."""
    starts: list[tuple[int, str]] = []
    at = 0
    for promise in promises if printed.lost else ():
        at = max(at, printed.asked.find(squeeze(promise.heading), at))
        starts.append((at, promise.card))
    lost: dict[str | None, str] = {}  # a formula is many runs, and one fault
    for offset, text in printed.lost:
        card = next((card for start, card in reversed(starts) if start < offset), None)
        lost[card] = lost.get(card, "") + text
    for card, text in lost.items():
        yield card, f"'{text.strip()[:40]}' runs off its page (variant {label}, {what})"


def _before(asked: str, promises: Sequence[Promise]) -> str:
    """What stands before the first question."""
    return asked.partition(squeeze(promises[0].heading))[0] if promises else asked


def _same(asked: str, again: str, promise: Promise) -> bool:
    """Whether the key asks what the paper asks.

    A cloze's blanks and their hints are the paper's alone; for each figure of an answer, a text
    may come in.
    """
    if promise.cloze:
        for hint in promise.hints:
            asked = asked.replace(squeeze(f"({hint})"), "", 1)
        return asked.replace(CODE_BLANK, "") == again.replace(CODE_BLANK, "")
    return asked == again or with_insertions(asked, again, promise.figures)


def with_insertions(text: str, longer: str, most: int) -> bool:
    """Whether ``longer`` is ``text`` with at most ``most`` pieces put in.

    Whatever the pieces are, the longest common beginning can be kept before the first of them and
    the longest common end behind the last.
    """
    if most <= 0:
        return text == longer
    begin = _common(text, longer)
    text, longer = text[begin:], longer[begin:]
    end = _common(text[::-1], longer[::-1])
    text, longer = text[: len(text) - end], longer[: len(longer) - end]
    for _ in range(most - 1):
        if not text:
            return True
        kept = next(size for size in range(len(text), -1, -1) if text[:size] in longer)
        longer = longer[longer.find(text[:kept]) + kept :]
        text = text[kept:]
    return not text


def _common(one: str, other: str) -> int:
    """How long the common beginning of two texts is."""
    pairs = zip(one, other, strict=False)
    return next((at for at, (a, b) in enumerate(pairs) if a != b), min(len(one), len(other)))


def _letters(
    key: Printed, label: str, promises: Sequence[Promise]
) -> Iterator[tuple[str | None, str]]:
    """The letters that the key prints, against the options that are right."""
    at = 0
    for promise in promises:
        if not promise.options:
            continue
        told = squeeze(f"Question {promise.number}: {', '.join(promise.letters)}.")
        start = key.answers.find(told, at)
        if start < 0:
            yield (
                promise.card,
                f"the key of variant {label} does not answer question {promise.number} "
                f"with {', '.join(promise.letters)}",
            )
        else:
            at = start + len(told)


def _numbered(printed: Printed, page: int, label: str) -> bool:
    text = printed.furniture[page - 1]
    return (
        squeeze(f"Variant {label}") in text and squeeze(f"Page {page} of {printed.pages}") in text
    )


def _difference(one: str, other: str) -> str:
    """The first place where two texts part, with some characters around it."""
    at = _common(one, other)
    return f"'{one[max(0, at - 12) : at + 20]}' and '{other[max(0, at - 12) : at + 20]}'"
