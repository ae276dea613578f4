"""Options: no two alike, no wrong one right."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.verify.rules.choices import as_read, check_options
from tests.verify.bank import card, drawn, make_bank, messages, verify


def found(root: Path, *options: str, expect: str = "output.shape: (3,)") -> list[str]:
    """What is wrong with some options, each written ``right: text``."""
    lines = "".join(f"  - {option}\n" for option in options)
    check = f'check:\n  run: Double\n  with: {{input: "(3,)"}}\n  expect:\n    {expect}\n'
    _, made = drawn(root, card(f"ask: Which?\noptions:\n{lines}{check}"))
    return [finding.message for finding in check_options(made)]


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('"(3,)"', '"( 3, )"'),
        ('"`(3,)`"', '"(3,)"'),
        ('"**(3,)**"', '"(3,)"'),
        ("0.5", "1/2"),
        ("100", "1e2"),
        ("a  b", "a *b*"),
        ('"a\\\\_b"', "a_b"),
        ("a &amp; b", "a & b"),
        ("$x$", "x"),
        ('"(2, 3)"', '"$\\\\left(2, 3\\\\right)$"'),
        ('"(2, 3)"', '"$(2,\\\\,3)$"'),
        ('"(2, 3)"', '"$2 {\\\\times} 3$"'),
        ("3", '"$\\\\mathbf 3$"'),
        ("3", "3\u200d"),
        ("3", "\uff0b3"),
        ("3", '"$\\\\frac{6}{2}$"'),
        ('"- (3,)"', "(3,)"),
        ('"> (3,)"', "(3,)"),
        ('"# (3,)"', "(3,)"),
        ("3", "+3"),
        ("3", "$\\text{3}$"),
        ("3", "tensor(3.)"),
        ('"(3, 4)"', '"torch.Size([3, 4])"'),
        ("It is so", "It is so."),
        ("caf\u00e9", "cafe\u0301"),
        ("It is so", "It is\u200b so"),
    ],
)
def test_a_wrong_option_that_reads_as_the_right_one(tmp_path: Path, right: str, wrong: str) -> None:
    """Options are compared as a reader sees them, and values as values."""
    [message] = found(tmp_path, f"right: {right}", f"wrong: {wrong}")
    assert message.startswith('the wrong option "')
    assert message.endswith('" is right')


@pytest.mark.parametrize(
    ("one", "other"),
    [
        *[("(3,)", "(4,)"), ("a", "A"), ("x is 3", "x is 4"), ("True", "true")],
        *[
            ("$\\\\text{}$", "3"),
            ("`x**2`", "`x*2`"),
            ("`__init__`", "`init`"),
            ("`**kwargs`", "`kwargs`"),
        ],
        *[("`_x`", "`x`"), ("`a\\\\.b`", "`a.b`"), ("`&amp;`", "`&`"), ("`[2, 3]`", "`(2, 3)`")],
    ],
)
def test_options_that_differ(tmp_path: Path, one: str, other: str) -> None:
    """What a reader can tell apart may stand side by side."""
    assert found(tmp_path, f'right: "{one}"', f'wrong: "{other}"') == []


def test_two_wrong_options_alike(tmp_path: Path) -> None:
    """A wrong option given twice is a mistake too."""
    assert found(tmp_path, 'right: "(3,)"', 'wrong: "(4,)"', 'wrong: "(4, )"') == [
        'two wrong options say "(4, )"'
    ]


def test_a_right_option_in_words(tmp_path: Path) -> None:
    """A wrong option that states the only expected value is right, however the right one is put."""
    assert found(tmp_path, "right: that of its input", 'wrong: "(3,)"', 'wrong: "(4,)"') == [
        'the wrong option "(3,)" is right: it is output.shape'
    ]


def test_a_right_option_that_is_another_value(tmp_path: Path) -> None:
    """Where the right option is a value that was not expected, the wrong one that was is right."""
    assert found(tmp_path, 'right: "(5,)"', 'wrong: "(3,)"') == [
        'the wrong option "(3,)" is right: it is output.shape'
    ]


def test_emphasis_is_not_seen() -> None:
    """Marks of emphasis, code, maths, links and escapes are not what is read."""
    assert as_read("**a** _b_ `c_d` $e$ [f](g) \\* snake_case") == "a b c_d e f * snake_case"


VARYING = card(
    """
    vary: {n: 2..4, m: 2..4}
    ask: What has ({{ n }}, {{ m }}) times ({{ m }}, {{ n }})?
    options:
      - right: "({{ n }}, {{ n }})"
      - wrong: "({{ m }}, {{ m }})"
    check:
      run: Product
      with: {left: "({{ n }}, {{ m }})", right: "({{ m }}, {{ n }})"}
      expect: {output.shape: "({{ n }}, {{ n }})"}
    """
)


def test_the_whole_space_is_walked(tmp_path: Path) -> None:
    """The draw in which a wrong option is right is named, and how many more there are."""
    verified, report = verify(make_bank(tmp_path, VARYING))
    assert verified is None
    assert messages(report) == [
        'cards/unit/cards.yaml:8:14: n=2, m=2: the wrong option "(2, 2)" is right'
    ]
    assert str(report.problems[0].notes[-1]) == "and in 2 more draws"
    assert (report.draws, report.walked, report.sampled) == (9, 1, [])


def test_where_keeps_a_draw_out(tmp_path: Path) -> None:
    """`where` takes the bad draws out, and then the card holds."""
    text = VARYING.replace("  ask:", "  where: n != m\n  ask:", 1)
    verified, report = verify(make_bank(tmp_path, text))
    assert messages(report) == []
    assert verified is not None
    assert len(verified.cards[0].draws) == 6


def test_a_large_space_is_sampled(tmp_path: Path) -> None:
    """Of a space above the limit a seeded sample of that size is looked at, and counted."""
    text = VARYING.replace("2..4, m: 2..4", "2..60, m: 61..120")
    root = make_bank(tmp_path, text)
    _, report = verify(root, draws=7)
    _, again = verify(root, draws=7, fresh=True)
    assert messages(report) == []
    assert [(s.taken, s.size) for s in report.sampled] == [(7, 59 * 60)]
    assert report.draws == again.draws == 7
    assert report.ran == again.ran
