"""What differs from run to run or from machine to machine, taken out of captured text."""

from __future__ import annotations

import re
from pathlib import Path

_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{4,}\b")
_OBJECT_ID = re.compile(r"(?<![\w.])\d{13,}(?![\w.])")
_PATH = re.compile(r"(?<![\w./~-])/(?:[^\s/:'\"<>,;()\[\]]+/)+([^\s/:'\"<>,;()\[\]]+)")


def scrub(text: str, root: Path | None = None) -> str:
    """Return ``text`` without addresses, object ids and folders.

    ``0x7f3a…`` becomes ``0x…``, a whole number of 13 digits or more (``id(x)``) becomes ``…``,
    an absolute path becomes its path within ``root``, or else ``…/`` and its last part. The same
    text gives the same result on every machine and in every run. Half of a surrogate pair, which no
    file can hold, becomes its escape.
    """
    if not text.isascii():
        text = text.encode("utf-8", "backslashreplace").decode()
    if root is not None:
        text = text.replace(f"{root}/", "")
    text = _PATH.sub(r"…/\1", text)
    text = _ADDRESS.sub("0x…", text)
    return _OBJECT_ID.sub("…", text)
