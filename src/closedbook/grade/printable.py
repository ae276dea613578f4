"""A stranger's text, made safe to print."""

from __future__ import annotations

import re


def clean(text: str, limit: int = 300) -> str:
    """A stranger's text, safe to print: one line, no control characters, not too long."""
    flat = re.sub(r"\s+", " ", text)
    shown = "".join(ch if ch.isprintable() else "\N{REPLACEMENT CHARACTER}" for ch in flat).strip()
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"
