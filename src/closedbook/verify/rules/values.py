"""The values that a text states: numerals, tuples, truth values, None.

The rule is in docs/checks.md.

A text is cut into prose, code and maths; in each the same grammar reads values, with the few
differences that Markdown's author has in mind: ``x0`` is a name, ``W_0`` in maths is one too,
``UTF-8`` is one in prose, ``x-2`` in code is not.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

from closedbook.verify.rules.number_words import COUNTED, LINKS, NUMBER_WORDS, TEENS, TENS, UNITS
from closedbook.verify.rules.number_words import PATTERN as WORDS

Key: TypeAlias = int | Decimal | str | tuple["Key", ...]
"""A number, a word (``True``, ``None``, ``-0``, ``2.13.0``), or a tuple of them."""

AnyOf: TypeAlias = tuple[tuple[Key, ...], ...]
"""What a value may stand for: each row is one reading, all of whose keys belong to it."""

Kind = Literal["prose", "code", "fence", "maths"]

LABELS = [
    "sections?",
    "sec\\.",
    "chapters?",
    "figures?",
    "fig\\.",
    "tables?",
    "equations?",
    "eq\\.",
    "pages?",
    "p\\.",
    "appendix",
    "exercises?",
]


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

_SUPERSCRIPTS = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079"
_SINGLE = "\u00bc-\u00be\u2150-\u2189\u2460-\u249b\u24ea-\u24ff\u2776-\u2793"
"""Fractions, Roman and circled numerals: a character that is a number."""
_GLYPHS = _SUPERSCRIPTS + _SINGLE

_DIGITS = r"\d(?:[\d_]*\d)?"
_UNSIGNED = rf"(?:{_DIGITS}(?:\.\d+)?|(?<![\w.)\]])\.\d+)(?:[eE][+-]?\d+)?"
_SIGNED = rf"[-\u2212+]?(?:{_UNSIGNED}|inf\b|nan\b)"
_ITEM = rf"(?:{_SIGNED}\.?|True\b|False\b|None\b)"
_TO = r"(?:and|to|-|\u2013|\.\.)"
_LETTER, _WORD = rf"[^\W\d{_GLYPHS}]", rf"[^\W{_GLYPHS}]"
_NAME = rf"{_LETTER}{_WORD}*(?:\.{_LETTER}{_WORD}*|\.\d+(?=\.{_LETTER}))*"

_MAYBE = re.compile(
    rf"""(?x)[\d{_GLYPHS}\u221e]|True|False|None|NaN|nan|inf|&\#?\w+;
    |\b(?ai:{WORDS}[\s-]|one[ -]by\b)|`(?:true|false|none|null)`|(?<![\w)\]])\(\s*\)"""
)

# Shapes are by far the most of what is stated: `shape` is the quick way to a `sequence`.
_GRAMMAR = rf"""
    (?P<shape>(?<![\w)\]])\((?:\d{{1,9}}+,[ ]?)*+\d{{1,9}}+,?\))
  | (?P<entity>&\#?\w+;)
  | (?P<skip>\#\d+|\]\([^)\s]*\)|https?://\S+)
  | (?P<label>(?i:\b(?:{"|".join(LABELS)})\s*|§+\s*)\d+(?:\.\d+)*
      (?:\s*{_TO}\s*\d+(?:\.\d+)*)?)
  | (?P<place>(?i:\b(?P<of>line|step)s?)\s+(?P<first>\d{{1,9}})(?!\d)
      (?:\s*{_TO}\s*(?P<last>\d{{1,9}})(?!\d))?)
  | (?P<spelt>\b(?!(?i:one[ -]by[ -]one)\b)(?ai:{WORDS}|one)(?:[ -]by[ -](?ai:{WORDS}|one))+\b)
  | (?P<count>\b(?P<word>(?ai:{WORDS}))\s+(?:(?!(?:{"|".join(LINKS)})\b)[a-z]+(?:-[a-z]+)*\s+)?
      (?=(?:{"|".join(COUNTED)})\b))
  | (?P<sequence>(?<![\w)\]])\(\s*(?:{_ITEM}\s*,\s*)*(?:{_ITEM})?\s*\)
      |(?<!\w)\[\s*{_ITEM}(?:\s*,\s*{_ITEM})*\s*,?\s*\])
  | (?P<truth>(?<![\w.])(?:True|False|None)(?!\w))
  | (?P<special>(?<![\w.])[-\u2212+]?(?:NaN|nan|inf)(?!\w)|[-\u2212+]?(?:\u221e|\\infty\b))
  | (?P<date>(?<![\w.-])\d{{4}}-\d\d-\d\d(?![\w-]))
  | (?P<version>(?<![\w.])(?:v\d+(?:\.\d+)*|\d+(?:\.\d+){{2,}})\w*)
  | (?P<raised>\u207b?[{_SUPERSCRIPTS}]+)
  | (?P<glyph>[{_SINGLE}])
  | (?P<hex>(?<!\w)0[xX][0-9a-fA-F]+)
  | (?P<power>(?:(?P<factor>{_SIGNED})\s*(?:\\cdot|\\times|\u00d7)\s*)?
      \b10\^\{{?(?P<exponent>[-\u2212]?\d+)\}}?)
  | (?P<product>(?<![\w.])\d+(?:(?:\s*(?:\u00d7|\\times|x)\s*|[ -]by[ -])\d+)+(?!\s*=|\w|\.\d))
  | (?P<fraction>(?<![\w.])[-\u2212]?\d+/\d+(?!\w|/|\.\d))
  | (?P<grouped>(?<![\w.,])\d{{1,3}}(?:,\d{{3}})+(?!\w|,\d))
"""
_NUMBER = rf"(?P<sign>(?<![\w)\]])[-\u2212])?(?P<number>{_UNSIGNED})(?P<percent>\s?\\?%)?"


def _any_of(words: Iterable[str]) -> str:
    """A pattern of words in any case, which looks at the first letter before all the others."""
    tails: dict[str, list[str]] = {}
    for word in words:
        tails.setdefault(word[0], []).append(word[1:])
    return "|".join(
        f"[{first}{first.upper()}](?ai:{'|'.join(rest)})" for first, rest in tails.items()
    )


# Most of a text is words: they are passed over a run at a time, before anything else is tried.
_SPECIAL = (
    rf"(?:True|False|None|NaN|nan|inf"
    rf"|{_any_of([*UNITS, *TEENS, *TENS, 'https?', 'lines?', 'steps?', *LABELS])})(?![^\W\d])"
)
_BULK = (
    rf"(?P<bulk>(?:[ \n,;:?!]++"
    rf"|(?<!\w)(?!{_SPECIAL})[^\W\d_{_GLYPHS}]++(?![\w-]|\.\w)(?:\.(?!\d))?+)++)|"
)

_ITEMS = re.compile(_ITEM)
_PROSE = re.compile(
    rf"{_BULK}{_GRAMMAR}|(?P<name>(?:[A-Z]+-\d+\b|(?!_\d){_NAME}))|{_NUMBER}", re.VERBOSE
)
_CODE = re.compile(rf"{_GRAMMAR}|(?P<name>{_NAME})|{_NUMBER}", re.VERBOSE)
_MATHS = re.compile(
    rf"(?P<frac>\\[dt]?frac\s*(?P<over>\d)\s*(?P<under>\d))|{_GRAMMAR}"
    rf"|(?P<name>\\[A-Za-z]+|_\{{[^{{}}]*\}}|_\w)|{_NUMBER}",
    re.VERBOSE,
)
_SCANNERS = {"prose": _PROSE, "code": _CODE, "fence": _CODE, "maths": _MATHS}

_SEGMENTS = re.compile(
    r"""
    ^[ ]{0,3}(?P<fence>```+|~~~+)[^\n]*\n(?P<block>.*?)(?:^[ ]{0,3}(?P=fence)[`~]*[ ]*$|\Z)
  | (?P<escape>\\[!-/:-@\[-`{-~])
  | (?P<tick>`+)(?P<code>.+?)(?<!`)(?P=tick)(?!`)
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
    if not _MAYBE.search(text):
        return ()
    found: list[Atom] = []
    for segment in segments(text):
        found += scan(text, segment)
    return tuple(found)


@lru_cache(maxsize=_REMEMBERED)
def code_atoms(text: str) -> tuple[Atom, ...]:
    """Every value in a text that is code from end to end."""
    return tuple(scan(text, Segment("code", 0, len(text))))


def scan(text: str, segment: Segment) -> list[Atom]:
    """The values in one stretch of a text."""
    kind, start, end = segment
    if kind == "code" and (value := _SMALL.get(text[start:end].strip())):
        return [Atom(text[start:end], start, ((value,),), kind)]
    found: list[Atom] = []
    if _MAYBE.search(text, start, end):
        for match in _SCANNERS[kind].finditer(text, start, end):
            if match.lastgroup not in _PASSED_OVER:
                found += _read(match, kind)
    return found


_SMALL = {"true": "True", "false": "False", "none": "None", "null": "None"}
"""Alone in backticks these are values; anywhere else they are words."""
_PASSED_OVER = frozenset({"bulk", "skip", "label", "name"})


def _read(match: re.Match[str], kind: Kind) -> tuple[Atom, ...]:
    """The atoms of one match of the grammar: two for a pair of places."""
    form, text = match.lastgroup, match[0]
    if form == "shape":
        sizes = tuple(map(int, text[1:-1].rstrip(",").split(",")))
        reading: AnyOf = ((sizes,),) if "," in text else (sizes, (sizes,))
        return (Atom(text, match.start(), reading, kind),)
    if form == "sequence":
        items = tuple(map(number, _ITEMS.findall(text)))
        single = len(items) == 1 and "," not in text
        any_of: AnyOf = ((items[0],), (items,)) if single else ((items,),)
        return (Atom(text, match.start(), any_of, kind),)
    if form in ("number", "percent"):
        return (_number(match, kind),)
    if form == "place":
        of: Literal["line", "step"] = "line" if match["of"].lower() == "line" else "step"
        return tuple(
            Atom(match[group], match.start(group), ((int(match[group]),),), kind, of)
            for group in ("first", "last")
            if match[group]
        )
    if form == "count":
        key = NUMBER_WORDS[match["word"].lower()]
        return (Atom(match["word"], match.start(), ((key,),), kind),)
    if form == "entity":
        return _entity(match, kind)
    return (Atom(text, match.start(), _keys(match), kind),)


def _number(match: re.Match[str], kind: Kind) -> Atom:
    text = (match["sign"] or "") + match["number"]
    value = number(text)
    any_of: AnyOf = ((value,),)
    if match["percent"] and not isinstance(value, str):
        any_of += ((Decimal(value) / 100,),)
    at = match.start("sign") if match["sign"] else match.start("number")
    return Atom(text, at, any_of, kind)


def _entity(match: re.Match[str], kind: Kind) -> tuple[Atom, ...]:
    """``&#55;`` is a 7 to who reads the card; ``&amp;`` is no number. In code it is itself."""
    shown = html.unescape(match[0]) if kind == "prose" else ""
    found = scan(shown, Segment("prose", 0, len(shown)))
    return tuple(Atom(match[0], match.start(), atom.any_of, kind) for atom in found)


def _keys(match: re.Match[str]) -> AnyOf:
    """What one of the special forms may stand for."""
    form, text = match.lastgroup, match[0]
    if form == "spelt":
        words = re.split(r"[ -]by[ -]", text.lower())
        return ((tuple(NUMBER_WORDS.get(word, 1) for word in words),),)
    if form == "special":
        return ((number(text.replace("\u221e", "inf").replace("\\infty", "inf")),),)
    if form == "product":
        return ((tuple(map(number, re.findall(r"\d+", text))),),)
    if form == "fraction":
        return _quotient(*map(number, text.split("/")))
    if form == "power":
        value = number("1e" + match["exponent"])
        factor = number(match["factor"]) if match["factor"] else 1
        known = not isinstance(value, str) and not isinstance(factor, str)
        whole = ((Decimal(factor) * Decimal(value),),) if known else ()
        return (*whole, tuple(number(n) for n in re.findall(r"[-\u2212]?\d+(?:\.\d+)?", text)))
    if form == "hex":
        return ((int(text, 16),),)
    if form == "grouped":
        return ((number(text.replace(",", "")),),)
    if form == "frac":
        return _quotient(number(match["over"]), number(match["under"]))
    if form == "raised":
        return ((number(unicodedata.normalize("NFKC", text)),),)
    if form == "glyph":
        exact = Fraction(unicodedata.numeric(text)).limit_denominator(1000)
        return ((Decimal(exact.numerator) / exact.denominator,),)
    if form in ("date", "version"):
        plain = text.removeprefix("v")
        return ((plain,), (number(plain),)) if _is_number(plain) else ((plain,),)
    return ((number(text),),)


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
    if plain in ("True", "False", "None"):
        return plain
    try:
        value = Decimal(plain)
    except InvalidOperation:
        return plain
    if value.is_nan():
        return "nan"
    if value.is_finite() and max(abs(value.adjusted()), len(plain)) > _LARGEST:
        return plain
    return "-0" if not value and value.is_signed() else value
