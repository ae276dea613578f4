"""Shards: even, stable, and together the whole."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from closedbook.model.bank import Bank
from closedbook.source.draws import space_of
from closedbook.verify.select import Draws, Part, shard
from tests.verify.bank import card, load, make_bank, verify

VARYING = """
vary: {{n: 1..{last}}}
ask: From 1 to {{{{ n }}}}?
answer: "{{{{ n - 1 }}}}"
check:
  run: count
  with: {{start: 1, stop: "{{{{ n }}}}"}}
  expect: {{n: "{{{{ n - 1 }}}}"}}
"""
SIZES = [1, 40, 3, 9, 1, 1, 17, 2, 5, 1, 8, 1]


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    """A bank of cards with as many draws as ``SIZES`` says."""
    texts = (card(VARYING.format(last=n), id=f"card-{i}") for i, n in enumerate(SIZES))
    return load(make_bank(tmp_path_factory.mktemp("bank"), "".join(texts)))


def parts_of(bank: Bank) -> list[Part]:
    """Each card with all of its draws."""
    parts = []
    for entry in bank.cards:
        space, _ = space_of(entry)
        assert space is not None
        draws = Draws(space, 2000)
        parts.append(Part(entry, draws, 0, len(draws)))
    return parts


def test_a_sample_comes_from_all_over_its_space(bank: Bank) -> None:
    """Of more draws than are looked at, those taken are spread, in order, the same each time."""
    space, _ = space_of(bank.cards[1])
    assert space is not None
    draws = Draws(space, 10)
    numbers = [int(draw["n"]) for draw in draws.stream()]
    assert (len(draws), draws.walked, draws.size) == (10, False, 40)
    assert numbers == sorted(set(numbers))
    assert numbers != list(range(1, 11))
    assert max(numbers) > 20
    assert [int(draw["n"]) for draw in draws] == numbers


@settings(max_examples=50, deadline=None)
@given(count=st.integers(1, 30), weight=st.integers(0, 5))
def test_shards_make_up_the_whole(bank: Bank, count: int, weight: int) -> None:
    """Each draw of each card is in exactly one of N shards, whatever the costs."""
    parts = parts_of(bank)
    taken = [
        (part.card.id, number)
        for index in range(1, count + 1)
        for part in shard(parts, (index, count), lambda part: float(len(part.draws) * weight))
        for number in range(part.start, part.stop)
    ]
    assert sorted(taken) == sorted((p.card.id, n) for p in parts for n in range(p.stop))


def test_shards_are_even(bank: Bank) -> None:
    """No shard costs more than a fair share and one draw; a large card is cut."""
    parts = parts_of(bank)
    for count in (2, 3, 4, 7):
        sizes = [
            sum(p.stop - p.start for p in shard(parts, (i, count), lambda p: float(len(p.draws))))
            for i in range(1, count + 1)
        ]
        assert max(sizes) - min(sizes) <= 1, sizes


def test_shards_are_stable(bank: Bank) -> None:
    """The order of the cards in their files does not decide which shard a card is in."""
    parts = parts_of(bank)

    def ids(given: list[Part]) -> set[str]:
        return {part.card.id for part in shard(given, (1, 3), lambda part: 1.0)}

    assert ids(parts) == ids(parts[::-1])
    # A new card moves the cuts a little: at most two cards change their shard.
    assert len(ids(parts) ^ ids(parts[:-1])) <= 3


APART = """\
from closedbook import experiment


@experiment(isolated=True)
def far(n: int) -> dict:
    return {"n": n}
"""


def test_a_process_of_its_own_weighs_much(tmp_path: Path) -> None:
    """A card whose check starts a process is a share of its own beside ten that do not."""
    plain = (
        "ask: From 1 to 2?\nanswer: It is 1.\ncheck:\n  run: count\n  with: {start: 1, stop: 2}\n"
    )
    texts = [card(plain + "  expect: {n: 1}\n", id=f"plain{n}") for n in range(10)]
    own = "ask: Which of 1?\nanswer: It is 1.\ncheck:\n  run: far\n  with: {n: 1}\n  expect: {n: 1}"
    texts.append(card(own, id="apart"))  # the first in the order of shares
    root = make_bank(tmp_path, "".join(texts), apart=APART)
    _, first = verify(root, shard=(1, 2))
    _, second = verify(root, shard=(2, 2))
    assert [result.id for result in first.results] == ["apart"]
    assert [result.id for result in second.results] == [f"plain{n}" for n in range(10)]
