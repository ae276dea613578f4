"""Letters, and orders that a seed fixes."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter

from closedbook.paper.labels import letters
from closedbook.paper.seed import ranked, shuffled, some_of


def test_after_z_comes_aa() -> None:
    """Variants are named as a spreadsheet names its columns."""
    assert [letters(at) for at in (0, 25, 26, 27, 51, 52, 701, 702)] == [
        "A", "Z", "AA", "AB", "AZ", "BA", "ZZ", "AAA",
    ]  # fmt: skip


def test_every_position_is_equally_likely() -> None:
    """Over 3,000 seeds an item stands in each of four places about a quarter of the time."""
    places = Counter(shuffled("abcd", seed, "options").index("a") for seed in range(3000))
    assert all(650 < places[at] < 850 for at in range(4)), places


def test_a_new_name_does_not_move_the_others() -> None:
    """Adding a card to a bank leaves the order of the cards that were there."""
    before = ranked(["a", "b", "c", "d"], 7)
    after = ranked(["a", "b", "c", "d", "e"], 7)
    assert [name for name in after if name != "e"] == before


def test_draws_are_different_numbers() -> None:
    """As many draws as asked for, none twice."""
    found = some_of(range(1000), 50, "seed", "card")
    assert len(set(found)) == 50


def test_orders_do_not_hang_on_the_hash_seed() -> None:
    """Another PYTHONHASHSEED gives the same order."""
    code = (
        "from closedbook.paper.seed import ranked, shuffled, some_of;"
        "print(shuffled('abcdefgh', 1, 'x'), ranked('abcdefgh', 1), some_of(range(99), 5, 'y'))"
    )
    told = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(told) == 1
