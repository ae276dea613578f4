"""One step of an attempt outside the plain language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Breach:
    """One use of something outside the plain language. ``what`` names the token."""

    line: int
    what: str
