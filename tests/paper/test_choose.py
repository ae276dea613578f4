"""Choosing cards for pools that overlap."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from closedbook.paper.choose import choose, rivals
from closedbook.paper.pool import Group

CARDS = "abcdefg"
GROUPS = st.lists(
    st.builds(
        lambda count, cards: Group(0, count, tuple(sorted(cards))),
        st.integers(1, 3),
        st.sets(st.sampled_from(CARDS), min_size=1),
    ),
    min_size=1,
    max_size=3,
)


def hall(groups: list[Group]) -> bool:
    """Whether a choice exists: no set of groups asks for more cards than all of it holds."""
    return all(
        sum(group.count for group in some) <= len({card for group in some for card in group.cards})
        for size in range(1, len(groups) + 1)
        for some in combinations(groups, size)
    )


@given(groups=GROUPS, order=st.permutations(CARDS))
def test_a_choice_is_found_exactly_where_one_exists(groups: list[Group], order: list[str]) -> None:
    """Every group is filled with cards of its own, none twice, or the rivals are named."""
    held = choose(groups, order)
    used = [card for cards in held for card in cards]
    assert len(used) == len(set(used))
    assert all(set(cards) <= set(group.cards) for group, cards in zip(groups, held, strict=True))
    full = all(len(cards) == group.count for group, cards in zip(groups, held, strict=True))
    assert full == hall(groups)
    short = [groups[at] for at in rivals(groups, held)]
    assert bool(short) == (not full)
    if short:
        cards = {card for group in short for card in group.cards}
        assert sum(group.count for group in short) > len(cards)


def test_a_greedy_section_gives_way() -> None:
    """The section that may take either card leaves the other section its only one."""
    wide, narrow = Group(0, 1, ("a", "b")), Group(1, 1, ("a",))
    assert choose([wide, narrow], ["a", "b"]) == [["b"], ["a"]]


def test_rivals_are_found_along_a_chain() -> None:
    """A group that shares no card with the short one competes too, by way of a third."""
    groups = [Group(0, 1, ("a",)), Group(1, 1, ("a", "b")), Group(2, 1, ("b",))]
    held = choose([*groups, Group(3, 1, ("c",))], ["a", "b", "c"])
    assert held == [["a"], ["b"], [], ["c"]]
    assert rivals([*groups, Group(3, 1, ("c",))], held) == [0, 1, 2]


@given(order=st.permutations(CARDS))
def test_preferred_cards_come_first(order: list[str]) -> None:
    """Of a single pool the first cards of the preference are taken."""
    held = choose([Group(0, 3, tuple(CARDS))], order)
    assert held == [order[:3]]
