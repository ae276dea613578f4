"""Texts that are looked for in a text, so that a number is never found in a part of another."""

from __future__ import annotations

import functools
import re

_CLASS = r"\[\^?\]?(?:\\.|[^\]\\])*\]"
_OPTIONAL = re.compile(r"\||\(\?[=!<]|\)[?*{]")
_TOKEN = re.compile(
    rf"\d+(?=[?*+{{])|\\(?P<itself>[^\w\s])|\\\w\d*|{_CLASS}|\{{[\d,]*\}}|[.^$*+?()]", re.DOTALL
)


def contains(text: str, written: str) -> bool:
    """Whether a text holds another, which neither begins nor ends within a number: 4 in 42."""
    return written in text and _whole(re.escape(written), written).search(text) is not None


def matches(text: str, pattern: str) -> bool:
    """Whether a pattern is found in a text; a digit at its edge is the edge of the number too."""
    written = " " if "|" in pattern else pattern
    return _whole(pattern, written).search(text) is not None


@functools.lru_cache(maxsize=1024)
def _whole(pattern: str, written: str) -> re.Pattern[str]:
    if written[0].isdigit():
        pattern = rf"(?<!\d)(?<!\d\.){pattern}"
    if written[-1].isdigit() and not re.search(r"\\\d+\Z", pattern):
        pattern = rf"{pattern}(?!\.?\d)"
    return re.compile(pattern)


@functools.lru_cache(maxsize=1024)
def surely_matched(pattern: str) -> str:
    """What stands in every text that a pattern matches; empty where parts of it may be missing.

    A number that ``77|hello`` or ``[0-9]`` writes need not have been observed.
    """
    if _OPTIONAL.search(re.sub(rf"\\.|{_CLASS}", "", pattern, flags=re.DOTALL)):
        return ""
    return _TOKEN.sub(lambda token: token["itself"] or " ", pattern)
