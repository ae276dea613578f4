"""Inputs are drawn anew for each grading, and again from the seed of a report."""

from __future__ import annotations

from closedbook.grade.draws import Argument, Drawer

ARGUMENTS = (Argument("input", (5, 4)), Argument("weight", (3, 4)), Argument("scale", None, 2.0))


def drawn(seed: int) -> list[str]:
    """The sizes and plain numbers of every case."""
    return [str(case) for case in Drawer(ARGUMENTS, seed).many()]


def test_sizes_and_numbers_come_from_the_seed() -> None:
    """The same seed draws the same, another one other sizes and another plain number."""
    assert drawn(3) == drawn(3)
    assert len({drawn(seed)[0].partition("weight")[0] for seed in range(20)}) > 5
    assert len({drawn(seed)[0].rpartition("scale")[2] for seed in range(20)}) > 5


def test_sizes_that_are_equal_in_the_example_stay_equal() -> None:
    """Another size for one argument is another size for all that share it."""
    for seed in range(20):
        for case in Drawer(ARGUMENTS, seed).many():
            assert case.given[0].value.shape[1] == case.given[1].value.shape[1]
