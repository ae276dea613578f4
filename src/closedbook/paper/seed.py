"""Order by a seed: the same under any hash seed, locale, time zone and Python version."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def digest(*parts: object) -> bytes:
    """SHA-256 over the parts as text, each closed off, so that no two lists of parts collide."""
    sha = hashlib.sha256()
    for part in parts:
        text = str(part).encode("utf-8", "surrogatepass")
        sha.update(len(text).to_bytes(8, "big"))
        sha.update(text)
    return sha.digest()


def shuffled(items: Iterable[T], *key: object) -> list[T]:
    """The items in an order that ``key`` fixes; every order is equally likely over keys.

    An item's rank depends on the key and on its own place alone.
    """
    return [item for _, item in sorted(enumerate(items), key=lambda pair: digest(*key, pair[0]))]


def ranked(items: Iterable[str], *key: object) -> list[str]:
    """The names in an order that ``key`` fixes and that does not move when others join them."""
    return sorted(items, key=lambda item: digest(*key, item))


def some_of(population: Sequence[int] | range, count: int, *key: object) -> list[int]:
    """``count`` different numbers of ``population``, in the order of drawing."""
    source = random.Random(int.from_bytes(digest(*key), "big"))  # noqa: S311 - shuffles, no secret
    return source.sample(population, count)
