"""The model to facts, verdicts and receipts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from closedbook.verify.engine import verify_bank
    from closedbook.verify.options import Options
    from closedbook.verify.report import Report
    from closedbook.verify.verified import VerifiedBank

_HOMES = {
    "Options": "options",
    "Report": "report",
    "VerifiedBank": "verified",
    "verify_bank": "engine",
}

__all__ = ["Options", "Report", "VerifiedBank", "verify_bank"]


def __getattr__(name: str) -> Any:
    """Import what is asked for only then: a verify that receipts answer needs next to nothing."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"closedbook.verify.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
