"""Numbers in words: which are read, and what they count."""

from __future__ import annotations

import re

UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
TEENS = (
    "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen",
    "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")

# "one" is left out: it is an article and a pronoun more often than a number.
NUMBER_WORDS = dict(zip((*UNITS[1:], *TEENS), range(2, 20), strict=True))
NUMBER_WORDS |= dict(zip(TENS, range(20, 100, 10), strict=True))
NUMBER_WORDS |= {
    f"{ten}-{unit}": NUMBER_WORDS[ten] + n for ten in TENS for n, unit in enumerate(UNITS, start=1)
}

_TENS = rf"(?:{'|'.join(TENS)})(?:[-\s](?:{'|'.join(UNITS)}))?"
PATTERN = rf"(?:{'|'.join((*UNITS[1:], *TEENS))}|{_TENS})"
"""A number in words, to be matched in any case."""

SCALES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}


def words_number(words: str) -> int:
    """The number that :data:`PATTERN` has matched; an article is a 1."""
    return NUMBER_WORDS.get("-".join(re.split(r"[-\s]+", words.lower())), 1)


COUNTED = (
    "values?", "gradients?", "tensors?", "arguments?", "inputs?", "outputs?", "dimensions?",
    "elements?", "entries", "rows?", "columns?", "times", "warnings?", "errors?", "calls?",
    "copies", "axes", "Nones",
)  # fmt: skip
LINKS = ("of", "or", "and", "to", "in", "by", "the", "than", "as", "is", "are", "for")
"""What stands between a number and a noun that it does not count: "two of the gradients"."""
