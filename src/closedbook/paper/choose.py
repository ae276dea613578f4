"""Choosing cards for sections whose pools may overlap.

A choice exists exactly when the places can be matched with the cards. Taking cards in order of
preference, each one that still leaves a matching, gives the best such choice: the sets of cards
that can be matched form a transversal matroid, on which the greedy way is optimal.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from closedbook.paper.pool import Group


def choose(groups: Sequence[Group], preference: Iterable[str]) -> list[list[str]]:
    """For each group the cards that fill it, the preferred ones where there is a choice.

    A group stays short only where no choice fills all groups.
    """
    members = [set(group.cards) for group in groups]
    held: list[list[str]] = [[] for _ in groups]
    missing = sum(group.count for group in groups)
    for card in preference:
        if not missing:
            break
        if _place(card, groups, members, held, set()):
            missing -= 1
    return held


def _place(
    card: str,
    groups: Sequence[Group],
    members: Sequence[set[str]],
    held: list[list[str]],
    tried: set[int],
) -> bool:
    """Give the card a place, moving others on to groups that also suit them."""
    for index, group in enumerate(groups):
        if index in tried or card not in members[index]:
            continue
        tried.add(index)
        if len(held[index]) < group.count:
            held[index].append(card)
            return True
        for at, other in enumerate(held[index]):
            if _place(other, groups, members, held, tried):
                # `other` now stands elsewhere too; its place here is free.
                held[index][at] = card
                return True
    return False


def rivals(groups: Sequence[Group], held: Sequence[Sequence[str]]) -> list[int]:
    """The groups that compete for too few cards, where :func:`choose` left one short; else none.

    Together they ask for more cards than all of them hold (Hall's condition).
    """
    short = [index for index, group in enumerate(groups) if len(held[index]) < group.count]
    if not short:
        return []
    found = [short[0]]
    for index in found:
        for other, cards in enumerate(held):
            if other not in found and set(cards) & set(groups[index].cards):
                found.append(other)
    return sorted(found)
