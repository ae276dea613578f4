"""Code compared with the code that runs."""

from __future__ import annotations

import pytest

from closedbook.verify.rules.code import lines_of, names_in, tokens

SOURCE = """\
def sixty(function):
    'Nothing of Square.'
    scale_max = 10  # of Double
    v = 60
    half = 0.5
    return function.apply(v * half)
"""


@pytest.mark.parametrize(
    ("code", "runs"),
    [
        ("v = 60", True),
        ("v=60", True),
        ("v = 6", False),
        ("half = 0", False),
        ("max = 10", False),
        ("v * half", True),
        ("function.apply", True),
    ],
)
def test_code_is_a_part_of_other_code_token_by_token(code: str, runs: bool) -> None:
    """Blanks do not count, and a number or a name is whole."""
    assert (tokens(code) in tokens(SOURCE)) is runs


def test_a_line_is_whole() -> None:
    """The beginning of a line is another line."""
    assert tokens("v=60") in lines_of(SOURCE)
    assert tokens("return function") not in lines_of(SOURCE)


def test_a_name_is_one_of_the_code() -> None:
    """What a docstring or a comment speaks of does not run."""
    assert {"function", "apply", "v", "half"} <= names_in(SOURCE)
    assert names_in(SOURCE).isdisjoint({"Square", "Double", "Nothing"})
    assert names_in("no Python (") == frozenset()
