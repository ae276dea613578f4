"""Looking after processes from tests."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def within(seconds: float, holds: Callable[[], bool]) -> bool:
    """Whether something comes to hold in that time."""
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        if holds():
            return True
        time.sleep(0.05)
    return holds()


def runs(process: int) -> bool:
    """Whether a process is there and no mere entry of one that has ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state not in "ZX"
