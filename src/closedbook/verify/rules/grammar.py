"""How values are written: a table of forms, and the expressions that it is joined into.

docs/checks.md lists the forms for readers; a test holds the two against each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias

from closedbook.verify.rules.number_words import COUNTED, LINKS, SCALES, TEENS, TENS, UNITS
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


class Form(NamedTuple):
    """One way to write a value, or what only looks like one.

    ``pattern`` is a verbose one; its group is called ``name``. ``states`` are the readings of
    ``example``, and empty for a form that states nothing. ``means`` says it in words.
    """

    name: str
    pattern: str
    example: str
    states: AnyOf
    means: str


_SUPERSCRIPTS = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079"
_SINGLE = (
    "\u00bc-\u00be\u1369-\u137c\u2150-\u2189\u2460-\u249b\u24ea-\u24ff\u2776-\u2793"
    "\u3251-\u325f\u32b1-\u32bf"
)
"""Fractions, Roman and circled numerals: a character that is a number."""
_GLYPHS = _SUPERSCRIPTS + _SINGLE

_DIGITS = r"\d(?:[\d_]*\d)?"
_UNSIGNED = rf"(?:{_DIGITS}(?:\.\d+)?|(?<![\w.)\]])\.\d+)(?:[eE][+-]?\d+)?"
_SIGNED = rf"[-\u2212+]?(?:{_UNSIGNED}|inf\b|nan\b)"
_ITEM = rf"(?:{_SIGNED}\.?|True\b|False\b|None\b)"
_TO = r"(?:and|to|-|\u2013|\.\.)"
_LETTER, _WORD = rf"[^\W\d{_GLYPHS}]", rf"[^\W{_GLYPHS}]"
_NAME = rf"{_LETTER}{_WORD}*(?:\.{_LETTER}{_WORD}*|\.\d+(?=\.{_LETTER}))*"
_LABEL = "|".join(LABELS)

# At one place of a text the first form that fits is taken: the order matters. Shapes are by far
# the most of what is stated, so they come first; most of these begin with what fails at once.
FORMS = (
    Form(
        "shape",
        r"(?<![\w)\]])\((?:\d{1,9}+,[ ]?)*+\d{1,9}+,?\)",
        "(3, 4)",
        (((3, 4),),),
        "whole numbers in parentheses: the quick way to a sequence",
    ),
    Form(
        "skip",
        r"&(?:\#\d+|[A-Za-z]\w*);|\#\d+|https?://[^\s|)>]+|(?<=[:%])\.\d+[efgEFG]",
        "#123",
        (),
        "an issue's number, a web address; in code, what is an entity elsewhere",
    ),
    Form(
        "label",
        rf"(?i:\b(?:{_LABEL})\s*|§+\s*)\d+(?:\.\d+)*(?:\s*{_TO}\s*\d+(?:\.\d+)*)?",
        "section 2.6",
        (),
        "a number, or two, that only point somewhere",
    ),
    Form(
        "place",
        rf"(?i:\b(?P<of>line|step)s?)\s+(?P<first>\d{{1,9}})(?!\d)"
        rf"(?:\s*{_TO}\s*(?P<last>\d{{1,9}})(?!\d))?",
        "line 3",
        ((3,),),
        "a line of the code or a step of the derivation, or two of them",
    ),
    Form(
        "spelt",
        rf"\b(?!(?i:one[\s-]by[\s-]one)\b)(?ai:{WORDS}|one)(?:[\s-]by[\s-](?ai:{WORDS}|one))+\b",
        "three by four",
        (((3, 4),),),
        "a shape in words",
    ),
    Form(
        "scaled",
        rf"(?:(?<![\w)\]])[-\u2212])?(?<![\w.])(?P<much>{_UNSIGNED}|(?ai:{WORDS}|one))"
        rf"[\s-]+(?P<scale>(?ai:{'|'.join(SCALES)}))s?\b(?:\s+and\s+(?P<rest>(?ai:{WORDS}|one)\b))?",
        "60 million",
        ((60_000_000,),),
        "so many hundreds, thousands, millions or billions",
    ),
    Form(
        "count",
        rf"\b(?P<word>(?ai:{WORDS}))\s+(?:(?!(?:{'|'.join(LINKS)})\b)[a-z]+(?:-[a-z]+)*\s+)?"
        rf"(?=(?:{'|'.join(COUNTED)})\b)",
        "two values",
        ((2,),),
        "a number in words before what it counts, at most one word between",
    ),
    Form(
        "sequence",
        rf"(?:(?<![\w)\]])|(?<=\bSize)|(?<=\bshape))\(\s*(?:{_ITEM}\s*,\s*)*(?:{_ITEM})?\s*\)"
        rf"|(?<!\w)\[\s*{_ITEM}(?:\s*,\s*{_ITEM})*\s*,?\s*\]",
        "[1, 2]",
        (((1, 2),),),
        "values in brackets, after no name (but Size, shape): one value; one alone is itself, too",
    ),
    Form(
        "truth",
        r"(?<!\w)(?<!\w\.)(?:True|False|None|TRUE|FALSE|NONE)(?!\w|\s+(?:of|to)\b)",
        "True",
        (("True",),),
        "itself",
    ),
    Form(
        "special",
        r"(?<![\w.])[-\u2212+]?(?:(?:math|torch|np|numpy)\.)?"
        r"(?:NaN|nan|NAN|inf|Inf|INF|Infinity)(?!\w)|[-\u2212+]?(?:\u221e|\\infty\b)",
        "nan",
        (("nan",),),
        "NaN, or an infinity",
    ),
    Form(
        "date",
        r"(?<![\w.-])\d{4}-\d\d-\d\d(?![\w-])",
        "2026-11-29",
        (("2026-11-29",),),
        "a date, as it is written",
    ),
    Form(
        "version",
        r"(?<![\w.])(?:v\d+(?:\.\d+)*|\d+(?:\.\d+){2,})\w*",
        "2.13.0",
        (("2.13.0",),),
        "a version, as it is written but for its v",
    ),
    Form("raised", rf"\u207b?[{_SUPERSCRIPTS}]+", "x²", ((2,),), "a number of raised digits"),
    Form(
        "glyph",
        rf"(?:(?<![\w)\]])[-\u2212])?\d*[{_SINGLE}]",
        "½",
        ((Decimal("0.5"),),),
        "a number in one character",
    ),
    Form(
        "based",
        r"(?<!\w)0(?:[xX][0-9a-fA-F]+|[bB][01]+|[oO][0-7]+)(?!\w)",
        "0x1F",
        ((31,),),
        "a whole number to the base 16, 2 or 8",
    ),
    Form(
        "imaginary",
        rf"(?<![\w.]){_UNSIGNED}[jJ](?!\w)",
        "2j",
        (("2j",),),
        "an imaginary number, as it is written",
    ),
    Form(
        "power",
        rf"(?:(?P<factor>{_SIGNED})\s*(?:\\cdot|\\times|\u00d7|\u00b7|\*|x)\s*)?"
        rf"(?:\b|(?<=\\times)|(?<=\\cdot)|(?<=x))10"
        rf"(?:\^\{{?(?P<exponent>[-\u2212]?\d+)\}}?|(?P<raised_to>\u207b?[{_SUPERSCRIPTS}]+))",
        r"$3 \cdot 10^{-2}$",
        ((Decimal("0.03"),), (3, 10, -2)),
        "a power of ten: its value, or each number in it",
    ),
    Form(
        "product",
        r"(?<![\w.])\d+(?:(?:\s*(?:\u00d7|\\times|[xX])\s*|[\s-]+by[\s-]+)\d+)+"
        r"(?!\s*=|\w|\.\d|[\^\u207b\u2070\u00b9\u00b2\u00b3\u2074-\u2079])",
        "3 \u00d7 4",
        (((3, 4),),),
        "a shape, unless = follows",
    ),
    Form(
        "fraction",
        r"(?<![\w.])[-\u2212]?\d+/\d+(?!\w|/|\.\d)",
        "1/2",
        ((Decimal("0.5"),), (1, 2)),
        "a quotient: its value, or both its numbers",
    ),
    Form(
        "grouped",
        r"(?<![\w.,])\d{1,3}"
        r"(?:(?:,\d{3})+(?:\.\d+)?|(?:[\u00a0\u2007\u2009\u202f]\d{3})+|(?:[ ]000)+)"
        r"(?!\w|,\d)",
        "1,000",
        ((1000,),),
        "a number with commas or fine spaces between its thousands",
    ),
)
"""What is read alike in prose, in code and in maths, in the order in which it is tried."""

FRAC = Form(
    "frac",
    r"(?P<minus>(?<![\w)\]}])[-\u2212]\s*)?\\[dt]?frac\s*"
    r"(?:(?P<over>\d)|\{\s*(?P<top>\d{1,9})\s*\})\s*(?:(?P<under>\d)|\{\s*(?P<bottom>\d{1,9})\s*\})",
    r"$\frac12$",
    ((Decimal("0.5"),), (1, 2)),
    "a quotient of two numbers, in maths alone: its value, or both its numbers",
)
NUMBER = Form(
    "number",
    rf"(?P<sign>(?<![\w)\]!%}}])[-\u2212])?(?P<digits>{_UNSIGNED})"
    rf"(?:(?P<percent>\s?\\?%|\s+percent\b)|(?P<thousandth>\s?\u2030)|(?P<suffix>[kKMGT])(?!\w))?",
    "50 %",
    ((50,), (Decimal("0.5"),)),
    "any other number; of a percentage its hundredth, too; 5k is 5000, and so on to 5T",
)
_A_NAME = "a name, with the digits in it"
PROSE_NAME = Form("name", rf"[A-Z]{{2,}}-\d+\b|(?!_\d){_NAME}", "UTF-8", (), _A_NAME)
CODE_NAME = Form("name", _NAME, "`float64`", (), _A_NAME)
_OF_A_SUM = (
    r"\\(?:i{1,3}nt|oint|sum|prod|lim|max|min|(?:under|over)brace)\s*(?:\{[^{}]*\}\s*)?_(?=\{)"
)
"""What stands below these is no index, but a part of what is said."""
_RELATION = r"(?:[=<>]|\\(?:leq?|geq?|lt|gt|to|in|ne|approx|times|text|(?:right|left)arrow)\b)"
MATHS_NAME = Form(
    "name",
    rf"{_OF_A_SUM}|\\[A-Za-z]+|_\{{(?![^{{}}]*{_RELATION})[^{{}}]*\}}|_\w",
    "$W_0$",
    (),
    f"{_A_NAME}: a subscript",
)


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
    rf"(?:True|False|None|TRUE|FALSE|NONE|NaN|nan|NAN|inf|Inf|INF"
    rf"|{_any_of([*UNITS, *TEENS, *TENS, 'https?', 'lines?', 'steps?', *LABELS])})(?![^\W\d])"
)
BULK = Form(
    "bulk",
    rf"(?:[ \n,;:?!]++|(?<!\w)(?!{_SPECIAL})[^\W\d_{_GLYPHS}]++(?![\w-]|\.\w)(?:\.(?!\d))?+)++",
    "only words",
    (),
    "words, and what stands between them",
)

LINK = Form("link", r"\]\([^)\s]*\)", "[it](https://example.org/3)", (), "the target of a link")

PROSE = (BULK, LINK, *FORMS, PROSE_NAME, NUMBER)
CODE = (*FORMS, CODE_NAME, NUMBER)
MATHS = (FRAC, *FORMS, MATHS_NAME, NUMBER)


def _joined(forms: Iterable[Form]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<{form.name}>{form.pattern})" for form in forms), re.VERBOSE)


_CODE = _joined(CODE)
SCANNERS: dict[Kind, re.Pattern[str]] = {
    "prose": _joined(PROSE),
    "code": _CODE,
    "fence": _CODE,
    "maths": _joined(MATHS),
}
"""The forms of each kind of text; the group that is matched last is the form's own."""

PASSED_OVER = frozenset(form.name for form in (*PROSE, *CODE, *MATHS) if not form.states)
"""The forms that state nothing."""

ITEMS = re.compile(_ITEM)
"""What stands between the commas of a sequence."""

MAYBE = re.compile(
    rf"""(?x)[\d{_GLYPHS}\u2080-\u2089\u221e]|True|False|None|NaN|nan|inf
    |TRUE|FALSE|NONE|NAN|Inf|INF|&\#?\w+;
    |\b(?ai:{WORDS}[\s*_-]|one[ -]by\b)|`(?:true|false|none|null)`|(?<![\w)\]])\(\s*\)"""
)
"""What stands, as it is written, in every text that states a value: most have nothing of it."""
