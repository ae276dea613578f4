"""A receipt's key: a hash of all that its check depends on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

LENGTH = 40
"""Hexadecimal digits of a key."""


def key_of(parts: Mapping[str, object]) -> str:
    """A receipt's key: SHA-256 over everything that the check depends on."""
    return digest_of(parts).hexdigest()[:LENGTH]


def digest_of(parts: Mapping[str, object]) -> hashlib._Hash:
    """What several checks depend on alike, to be taken on: ``copy`` it, ``update`` it."""
    return hashlib.sha256(repr(sorted(parts.items())).encode())
