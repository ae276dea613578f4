"""The letters that variants, options and parts of a question go by."""

from __future__ import annotations


def letters(index: int) -> str:
    """``A`` for 0, ``Z`` for 25, then ``AA``, ``AB``, as a spreadsheet names its columns."""
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(ord("A") + rest) + name
    return name
