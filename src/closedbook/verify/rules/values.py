"""The values that a text states: numerals, tuples, truth values, None.

The rule is in docs/checks.md.

A text is cut into prose, code and maths; in each the same grammar reads values, with the few
differences that Markdown's author has in mind: ``x0`` is a name, ``W_0`` in maths is one too,
``UTF-8`` is one in prose, ``x-2`` in code is not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from typing import Literal, NamedTuple

from closedbook.verify.rules.grammar import (
    ITEMS,
    MAYBE,
    PASSED_OVER,
    SCANNERS,
    AnyOf,
    Kind,
)
from closedbook.verify.rules.number_words import SCALES, words_number
from closedbook.verify.rules.plain import (
    Plain,
    as_it_stands,
    plain_code,
    plain_maths,
    plain_prose,
)


class Atom(NamedTuple):
    """One stated value: ``text`` stands at ``offset`` of its text.

    It is known where all keys of one of ``any_of`` are. ``of`` is ``line`` or ``step`` where the
    number counts lines of the printed code or steps of the derivation.
    """

    text: str
    offset: int
    any_of: AnyOf
    segment: Kind = "prose"
    of: Literal["line", "step"] | None = None


class Segment(NamedTuple):
    """A stretch of Markdown: characters ``start`` to ``end``, without its backticks or dollars."""

    kind: Kind
    start: int
    end: int


_REMEMBERED = 1024
"""How many texts are kept with their values: the draws of a card say most things alike."""

_LARGEST = 300
"""Digits, or zeros, beyond which a numeral is a word that equals itself alone."""

_SEGMENTS = re.compile(
    r"""
    ^[ ]{0,3}(?P<fence>```+|~~~+)[^\n]*\n(?P<block>.*?)(?:^[ ]{0,3}(?P=fence)[`~]*[ ]*$|\Z)
  | (?P<escape>\\[!-/:-@\[-`{-~])
  | (?<!`)(?P<tick>`++)(?P<code>.{1,2000}?)(?<!`)(?P=tick)(?!`)
  | \$\$(?P<display>.+?)\$\$
  | (?<![\\$\w])\$(?P<maths>(?!\s)[^$]*?[^\s\\$])\$(?!\d)
  | ^(?P<marker>(?P<indent>[ ]*)(?P<item>\d{1,9})[.)])(?=[ \t]+\S)
  | (?P<plain>[^\\`$\n]++)
    """,
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)


def segments(text: str) -> Iterator[Segment]:
    """The text as prose, code and maths, in order; markers of numbered lists left out."""
    at = 0
    found = [match for match in _SEGMENTS.finditer(text) if match.lastgroup != "plain"]
    counting = _counting([match for match in found if match.lastgroup == "marker"])
    for match in found:
        form = match.lastgroup
        if form == "escape" or (form == "marker" and match.start() not in counting):
            continue
        start, end = match.span()
        if start > at:
            yield Segment("prose", at, start)
        at = end
        if form == "code":
            yield Segment("code", *match.span("code"))
        elif form == "block":
            yield Segment("fence", *match.span("block"))
        elif form != "marker":
            yield Segment("maths", *match.span(form or 0))
    if at < len(text):
        yield Segment("prose", at, len(text))


def _counting(markers: list[re.Match[str]]) -> set[int]:
    """Where the markers of numbered lists start: what counts 1, 2, … and is no value with a dot."""
    lists: dict[int, list[re.Match[str]]] = {}
    counting: set[int] = set()
    for match in markers:
        items = lists.setdefault(len(match["indent"]), [])
        number = int(match["item"])
        if not items or number not in (1, int(items[-1]["item"]) + 1):
            items[:] = [match] if number == 1 else []
        else:
            items.append(match)
            counting.update((items[-2].start(), match.start()))
    return counting


@lru_cache(maxsize=_REMEMBERED)
def atoms(text: str) -> tuple[Atom, ...]:
    """Every value that a Markdown text states, in order."""
    if not MAYBE.search(text):
        return ()
    found: list[Atom] = []
    parts = [(segment.kind, plain_of(text, segment)) for segment in segments(text)]
    for kind, plain in parts:
        found += scan(text, plain, kind)
    return tuple(_across(text, parts, found) if _SEAM.search(text) else found)


@lru_cache(maxsize=_REMEMBERED)
def code_atoms(text: str) -> tuple[Atom, ...]:
    """Every value in a text that is code from end to end."""
    return tuple(scan(text, plain_code(text, 0, len(text)), "code"))


_PLAIN = {
    "prose": plain_prose,
    "code": plain_code,
    "fence": as_it_stands,
    "maths": plain_maths,
}


def plain_of(text: str, segment: Segment) -> Plain:
    """What is read of a stretch."""
    return _PLAIN[segment.kind](text, segment.start, segment.end)


def scan(text: str, plain: Plain, kind: Kind) -> list[Atom]:
    """The values in one stretch of a text, each at its place in the text."""
    if kind == "code" and (value := _SMALL.get(plain.text.strip())):
        return [_placed(Atom(plain.text, 0, ((value,),), kind), text, plain)]
    found: list[Atom] = []
    if MAYBE.search(plain.text):
        for match in SCANNERS[kind].finditer(plain.text):
            if match.lastgroup not in PASSED_OVER:
                found += (_placed(atom, text, plain) for atom in _read(match, kind))
    return found


def _placed(atom: Atom, text: str, plain: Plain) -> Atom:
    """A value that was found in what is read, as it is written and where."""
    start, end = plain.span(atom.offset, atom.offset + len(atom.text))
    return atom._replace(text=text[start:end], offset=start)


_SEAM = re.compile(
    r"[-\u2212\u2013(\[,\d][`$*_]*[`$][`$*_]*[-\d(]"
    r"|\d[`$*_]*[`$][`$*_]*\s*(?:,|[x\u00d7X]|by\b|\d|[)\]])"
)
"""Where a value may begin in one stretch and go on in the next: ``(`3`, `2`)``."""


def _across(text: str, parts: list[tuple[Kind, Plain]], found: list[Atom]) -> list[Atom]:
    """The values, with those that reach over several stretches in the place of their parts."""
    shown = [plain if kind != "fence" else Plain("\n", (0,), (0,)) for kind, plain in parts]
    whole = Plain(
        "".join(plain.text for plain in shown),
        [at for plain in shown for at in plain.starts],
        [at for plain in shown for at in plain.ends],
    )
    seams = set(accumulate(len(plain.text) for plain in shown))
    wide = [
        _placed(atom, text, whole)
        for match in SCANNERS["prose"].finditer(whole.text)
        if match.lastgroup not in PASSED_OVER
        and not seams.isdisjoint(range(match.start() + 1, match.end()))
        for atom in _read(match, "prose")
    ]
    if not wide:
        return found
    spans = [(atom.offset, atom.offset + len(atom.text)) for atom in wide]
    kept = [a for a in found if not any(start <= a.offset < end for start, end in spans)]
    return sorted([*kept, *wide], key=lambda atom: atom.offset)


_SMALL = {"true": "True", "false": "False", "none": "None", "null": "None"}
"""Alone in backticks these are values; anywhere else they are words."""


def _read(match: re.Match[str], kind: Kind) -> tuple[Atom, ...]:
    """The atoms of one match of the grammar: two for a pair of places."""
    form = match.lastgroup or ""
    if form == "number":
        return (_number(match, kind),)
    reading = _READINGS.get(form)
    if reading is not None:
        return (Atom(match[0], match.start(), reading(match), kind),)
    return _STRETCHES[form](match, kind)


_SUFFIXES = {"k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12}


def _number(match: re.Match[str], kind: Kind) -> Atom:
    text = (match["sign"] or "") + match["digits"]
    value = number(text)
    any_of: AnyOf = ((value,),)
    if not isinstance(value, str):
        if match["suffix"]:
            text += match["suffix"]
            any_of = ((Decimal(value) * _SUFFIXES[match["suffix"]],),)
        elif match["percent"]:
            any_of += ((Decimal(value) / 100,),)
        elif match["thousandth"]:
            any_of = ((Decimal(value) / 1000,),)
    at = match.start("sign") if match["sign"] else match.start("digits")
    return Atom(text, at, any_of, kind)


def _places(match: re.Match[str], kind: Kind) -> tuple[Atom, ...]:
    of: Literal["line", "step"] = "line" if match["of"].lower() == "line" else "step"
    return tuple(
        Atom(match[group], match.start(group), ((int(match[group]),),), kind, of)
        for group in ("first", "last")
        if match[group]
    )


def _count(match: re.Match[str], kind: Kind) -> tuple[Atom, ...]:
    key = words_number(match["word"])
    return (Atom(match["word"], match.start(), ((key,),), kind),)


def _shape(match: re.Match[str]) -> AnyOf:
    text = match[0]
    sizes = tuple(map(int, text[1:-1].rstrip(",").split(",")))
    return ((sizes,),) if "," in text else (sizes, (sizes,))


def _sequence(match: re.Match[str]) -> AnyOf:
    items = tuple(map(number, ITEMS.findall(match[0])))
    single = len(items) == 1 and "," not in match[0]
    return ((items[0],), (items,)) if single else ((items,),)


def _spelt(match: re.Match[str]) -> AnyOf:
    words = re.split(r"[\s-]by[\s-]", match[0].lower())
    return ((tuple(map(words_number, words)),),)


def _scaled(match: re.Match[str]) -> AnyOf:
    much = match["much"]
    count = number(much) if much[0].isdigit() or much[0] == "." else words_number(much)
    if isinstance(count, str):
        return ((match[0],),)
    sign = -1 if match[0][0] in "-\u2212" else 1
    rest = words_number(match["rest"]) if match["rest"] else 0
    return ((sign * (SCALES[match["scale"].lower()] * Decimal(count) + rest),),)


def _special(match: re.Match[str]) -> AnyOf:
    plain = re.sub(r"(?:math|torch|np|numpy)\.", "", match[0])
    return ((number(re.sub(r"\u221e|\\infty|Infinity", "inf", plain)),),)


def _product(match: re.Match[str]) -> AnyOf:
    return ((tuple(map(number, re.findall(r"\d+", match[0]))),),)


def _fraction(match: re.Match[str]) -> AnyOf:
    return _quotient(*map(number, match[0].split("/")))


def _power(match: re.Match[str]) -> AnyOf:
    exponent = match["exponent"] or unicodedata.normalize("NFKC", match["raised_to"])
    value = number("1e" + exponent.replace("\u2212", "-"))
    factor = number(match["factor"]) if match["factor"] else 1
    known = not isinstance(value, str) and not isinstance(factor, str)
    whole = ((Decimal(factor) * Decimal(value),),) if known else ()
    parts = (*([factor] if match["factor"] else []), 10, number(exponent))
    return (*whole, parts)


def _glyph(match: re.Match[str]) -> AnyOf:
    exact = Fraction(unicodedata.numeric(match[0][-1])).limit_denominator(1000)
    whole = match[0][:-1].lstrip("-\u2212")
    size = Decimal(exact.numerator) / exact.denominator + Decimal(whole or 0)
    return ((-size if match[0][0] in "-\u2212" else size,),)


def _frac(match: re.Match[str]) -> AnyOf:
    top, bottom = match["over"] or match["top"], match["under"] or match["bottom"]
    return _quotient(number(f"-{top}" if match["minus"] else top), number(bottom))


def _as_written(match: re.Match[str]) -> AnyOf:
    """A date or a version; of a version that looks like a number, the number too."""
    plain = match[0].removeprefix("v")
    return ((plain,), (number(plain),)) if _is_number(plain) else ((plain,),)


_READINGS: dict[str, Callable[[re.Match[str]], AnyOf]] = {
    "shape": _shape,
    "sequence": _sequence,
    "truth": lambda match: ((number(match[0]),),),
    "spelt": _spelt,
    "special": _special,
    "product": _product,
    "fraction": _fraction,
    "frac": _frac,
    "scaled": _scaled,
    "imaginary": lambda match: ((match[0],),),
    "power": _power,
    "based": lambda match: ((int(match[0], 0),),),
    "grouped": lambda match: ((number(re.sub(r"[^\d.]", "", match[0])),),),
    "raised": lambda match: ((number(unicodedata.normalize("NFKC", match[0])),),),
    "glyph": _glyph,
    "date": _as_written,
    "version": _as_written,
}
"""What the whole of a match may stand for."""

_STRETCHES: dict[str, Callable[[re.Match[str], Kind], tuple[Atom, ...]]] = {
    "place": _places,
    "count": _count,
}
"""The values in a match that is more than one value from end to end."""


def _quotient(top: int | Decimal | str, bottom: int | Decimal | str) -> AnyOf:
    """What a fraction may stand for: its value, or both its numbers."""
    if isinstance(top, str) or isinstance(bottom, str) or not bottom:
        return ((top, bottom),)
    return ((Decimal(top) / Decimal(bottom),), (top, bottom))


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def number(text: str) -> int | Decimal | str:
    """The key of a number or word as it is typed.

    Negative zero and NaN are words of their own, and so is what is too large to calculate with.
    """
    if text.isdecimal() and len(text) <= _LARGEST:
        return int(text)
    plain = text.replace("\u2212", "-").replace("_", "").removeprefix("+")
    if plain.capitalize() in ("True", "False", "None"):
        return plain.capitalize()
    try:
        value = Decimal(plain)
    except InvalidOperation:
        return plain
    if value.is_nan():
        return "nan"
    if value.is_finite() and max(abs(value.adjusted()), len(plain)) > _LARGEST:
        return plain
    return "-0" if not value and value.is_signed() else value
