"""Texts that are looked for in a text, so that a number is never found in a part of another."""

from __future__ import annotations

import functools
import re

_CLASS = r"\[\^?\]?(?:\\.|[^\]\\])*\]"
_OPTIONAL = re.compile(r"\||\(\?[=!<]|\)[?*{]")
_UNSEEN = re.compile(r"\(\?[a-zA-Z-]*x")
"""The flag by which blanks and comments of a pattern match nothing."""
_TOKEN = re.compile(
    rf"\(\?#[^)]*\)|\(\?P[<=]\w+[>)]|\(\?[a-zA-Z-]*[:)]|[()^$]|\\(?P<edge>[bBAZ])"
    rf"|\\(?P<itself>[^\w\s])|(?P<blank>\\[sntrfvDW])|(?P<any>\\\w\d*|{_CLASS}|\{{[\d,]*\}}|[.*+?])",
    re.DOTALL,
)
_ANY = "\0"
_BESIDE_ANY = re.compile(rf"[-\u2212\d.,]*{_ANY}[-\u2212\d.,{_ANY}]*")
"""A number to which something may be joined that the pattern does not write."""


_BEGINS = (
    r"(?<!\d)(?<!\d\.)(?<!\d,(?=\d{3}(?!\d)))(?<!\de[-+])"
    r"(?<!^[-\u2212])(?<![^\w)\]][-\u2212])"
)
"""A number begins: no digit, no thousands and no sign of its own stand before it."""
_ENDS = r"(?!\.?\d)(?!,\d{3}(?!\d))(?!_\d|[eE][-+]?\d|[xXbBoO][\da-fA-F])"
"""A number ends: no further digit stands behind it, no thousands, no exponent and no other base."""
_TYPE = re.compile(r"[A-Za-z]+\d+")
"""A name such as ``float16``, which is no part of ``bfloat16``."""


def contains(text: str, written: str) -> bool:
    """Whether a text holds another, which is no part of a number in it: 4 in 42, 60 in -60."""
    return written in text and _whole(re.escape(written), written).search(text) is not None


def matches(text: str, pattern: str) -> bool:
    """Whether a pattern is found in a text; a digit at its edge is the edge of the number too."""
    written = " " if "|" in pattern else pattern
    return _whole(pattern, written).search(text) is not None


@functools.lru_cache(maxsize=1024)
def _whole(pattern: str, written: str) -> re.Pattern[str]:
    if written[0].isdigit():
        pattern = rf"{_BEGINS}{pattern}"
    elif _TYPE.match(written):
        pattern = rf"(?<![A-Za-z0-9_]){pattern}"
    if written[-1].isdigit() and not re.search(r"\\\d+\Z", pattern):
        pattern = rf"{pattern}{_ENDS}"
    return re.compile(pattern)


@functools.lru_cache(maxsize=1024)
def surely_matched(pattern: str) -> str:
    """What stands in every text that a pattern matches; empty where parts of it may be missing.

    A number that ``77|hello`` or ``[0-9]`` writes need not have been observed.
    """
    if _UNSEEN.search(pattern) or _OPTIONAL.search(
        re.sub(rf"\\.|{_CLASS}", "", pattern, flags=re.DOTALL)
    ):
        return ""
    found = _TOKEN.sub(_shown, pattern)
    return _BESIDE_ANY.sub(" ", found)


def _shown(token: re.Match[str]) -> str:
    """What a pattern's token stands for: itself, nothing, a blank, or anything."""
    if token["any"]:
        return _ANY
    return " " if token["blank"] else token["itself"] or ""
