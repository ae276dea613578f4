"""What ``vary`` and ``where`` let a card be."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from closedbook.model.bank import Draw
from closedbook.source.draws import DrawSpace, space_of
from closedbook.source.where import WhereMistake, parse_where
from tests.source.banks import bank_with, only_card
from tests.source.builders import CARD

NUMBERS = {"n": range(2, 10), "i": range(2, 10), "o": range(2, 10)}


def space(where: str | None = None, **values: range | list[int | str]) -> DrawSpace:
    """A space of these values."""
    condition = parse_where(where, values) if where else None
    return DrawSpace(values, condition, "a-card")


def test_a_space_is_walked_in_a_fixed_order() -> None:
    """The last name runs fastest, and ``size`` says how many draws there are."""
    small = space(n=range(1, 3), o=["a", "b"])
    assert list(small.walk()) == [
        {"n": 1, "o": "a"},
        {"n": 1, "o": "b"},
        {"n": 2, "o": "a"},
        {"n": 2, "o": "b"},
    ]
    assert (small.size, small.exact) == (4, True)


def test_where_lets_in_what_fulfils_it() -> None:
    """Of eight values each for three names, 336 draws have three different ones."""
    different = space("n != i and i != o and n != o", **NUMBERS)
    assert different.size == 8 * 7 * 6
    assert sum(1 for _ in different.walk()) == different.size
    assert all(len(set(draw.values())) == 3 for draw in different.walk())


def test_a_sample_is_seeded_and_without_repetition() -> None:
    """The same seed gives the same draws; another gives others; none comes twice."""
    different = space("n != i", **NUMBERS)
    first = different.sample(50, seed=1)
    assert first == different.sample(50, seed=1)
    assert first != different.sample(50, seed=2)
    assert len({tuple(draw.items()) for draw in first}) == 50
    assert all(draw["n"] != draw["i"] for draw in first)
    assert different.sample(10_000) == list(different.walk())
    for one in (different, space(**NUMBERS)):
        drawn = one.sample(50, seed=1)
        assert drawn == [draw for draw in one.walk() if draw in drawn], "in the order of the walk"


def test_a_space_too_large_to_count_is_sampled() -> None:
    """With a million millions of draws, a sample takes no longer, and says that it is one."""
    huge = space("n % 7 == i % 7", **{name: range(10_000) for name in ("n", "i", "o")})
    assert not huge.exact
    draws = huge.sample(100, seed=3)
    assert len(draws) == 100
    assert all(int(draw["n"]) % 7 == int(draw["i"]) % 7 for draw in draws)
    assert space(**{name: range(10_000) for name in "abcdefgh"}).sample(2)[0].keys() == set(
        "abcdefgh"
    )


def test_a_draw_that_divides_by_zero_is_left_out_of_a_sample() -> None:
    """Of a space too large to try, what its condition cannot be calculated for is no draw."""
    huge = space("a % b == 0", a=range(100_000), b=range(3))
    assert not huge.exact
    draws = huge.sample(60)
    assert len(draws) == 60
    assert {draw["b"] for draw in draws} == {1, 2}


@pytest.mark.parametrize(
    ("vary", "said"),
    [
        ("1..10000", []),
        ("0..10000", ["the range 0..10000 has more than 10000 values"]),
        (str(list(range(10_000))), []),
        (str(list(range(10_001))), ["more than 10000 values"]),
    ],
    ids=["range", "longer range", "list", "longer list"],
)
def test_a_name_has_at_most_ten_thousand_values(tmp_path: Path, vary: str, said: list[str]) -> None:
    """So many are drawn from, one more is told."""
    text = CARD.replace("  ask: Which", f"  vary: {{n: {vary}}}\n  ask: '{{{{ n }}}}: which'  #")
    bank, _ = bank_with(tmp_path, text)
    assert [problem.message for problem in space_of(bank.cards[0])[1]] == said


SAMPLE = """
from closedbook.source.draws import DrawSpace
print(DrawSpace({"n": range(99), "o": ["x", "y"]}, None, "a-card").sample(5, seed=4))
"""


def test_a_sample_does_not_depend_on_the_hash_seed() -> None:
    """Two processes with different hash seeds draw the same."""
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SAMPLE],
            env={"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1


@pytest.mark.parametrize(
    ("where", "draw", "holds"),
    [
        ("n != i and i != o", {"n": 1, "i": 2, "o": 3}, True),
        ("n < i < o", {"n": 1, "i": 2, "o": 2}, False),
        ("not n == 1 or i in (2, 3)", {"n": 1, "i": 3, "o": 0}, True),
        ("(n + i) * o - 1 == 8", {"n": 1, "i": 2, "o": 3}, True),
        ("n // 2 == 1 and n % 2 == 1", {"n": 3, "i": 0, "o": 0}, True),
        ("n == 'dim' and i not in [1]", {"n": "dim", "i": 0, "o": 0}, True),
        ("-n <= -1\n  and True", {"n": 1, "i": 0, "o": 0}, True),
    ],
)
def test_a_condition_is_calculated(where: str, draw: Draw, holds: bool) -> None:
    """Comparisons, logic, membership and whole numbers."""
    assert bool(parse_where(where, NUMBERS)(draw)) is holds


@pytest.mark.parametrize(
    ("where", "words", "offset"),
    [
        ("n != k", "'vary' has no 'k'", 5),
        ("n != 1 and abs(i) > 2", "not 'abs(i)'", 11),
        ("n != 'Größe' and k == 1", "'vary' has no 'k'", 17),
        ("n.real > 1", "not 'n.real'", 0),
        ("n ** 9 > 1", "not 'n ** 9'", 0),
        ("n[0] > 1", "not 'n[0]'", 0),
        ("(lambda: n)()", "not '(lambda: n)()'", 0),
        ("n = 1", "no expression", 2),
        ("1.5 < n", "not '1.5'", 0),
        ("n == 1 and " * 99 + "n", "at most 1000", 0),
        ("(" * 400 + "n" + ")" * 400, "", 0),
    ],
)
def test_anything_else_is_no_condition(where: str, words: str, offset: int) -> None:
    """What the allow-list does not hold is told at its character, and never run."""
    with pytest.raises(WhereMistake) as caught:
        parse_where(where, NUMBERS)
    assert words in caught.value.message
    if words:
        assert caught.value.offset == offset


def test_a_draw_that_mixes_numbers_and_text_is_told() -> None:
    """Calculation is for whole numbers: text is not multiplied."""
    condition = parse_where("n * 1000000000 == 1", ["n"])
    with pytest.raises(TypeError, match="whole numbers"):
        condition({"n": "text"})


def test_a_card_without_vary_has_one_draw(tmp_path: Path) -> None:
    """It is the empty one."""
    card, _ = only_card(
        tmp_path,
        "- id: a\n  kind: question\n  outcome: derive-linear-shapes\n  ask: What?\n"
        "  answer: That.\n  unchecked: A definition.\n",
    )
    found, problems = space_of(card)
    assert problems == []
    assert found is not None
    assert list(found.walk()) == found.sample(5) == [{}]
