"""What a user chooses about the look of an exam, apart from the blueprint."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    """``large_print`` sets 18 pt with wider spaces; ``duplex`` begins each part on the right."""

    large_print: bool = False
    duplex: bool = False
