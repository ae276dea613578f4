"""Parsing an author's text without Python's own warnings about it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quiet() -> Iterator[None]:
    """Keep warnings of Python's parsers (an invalid escape, say) from being printed or raised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
