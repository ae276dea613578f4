"""What a report looks like: one file a format, one row here."""

from __future__ import annotations

from importlib import import_module

from closedbook.verify.report import Report

FORMATS: dict[str, str] = {
    "text": "to_text",
    "json": "to_json",
    "junit": "to_junit",
    "github": "to_github",
}
"""Each format's module in this package, and its function there."""


def write(report: Report, name: str, prefix: str = "") -> str:
    """The report in the format ``name``, ending in a newline.

    ``prefix`` leads from where a reader stands to the bank's folder.
    """
    module = import_module(f"closedbook.verify.formats.{name}")
    text: str = getattr(module, FORMATS[name])(report, prefix)
    return text
