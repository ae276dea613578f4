"""What a report looks like: one file a format, one row here."""

from __future__ import annotations

from collections.abc import Callable

from closedbook.verify.formats.github import to_github
from closedbook.verify.formats.json import to_json
from closedbook.verify.formats.junit import to_junit
from closedbook.verify.formats.text import to_text
from closedbook.verify.report import Report

FORMATS: dict[str, Callable[[Report], str]] = {
    "text": to_text,
    "json": to_json,
    "junit": to_junit,
    "github": to_github,
}
"""Each format's name, and what writes a report in it. The text ends in a newline."""

__all__ = ["FORMATS", "to_github", "to_json", "to_junit", "to_text"]
