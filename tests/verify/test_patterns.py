"""Texts that are looked for in a text."""

import pytest

from closedbook.verify.patterns import contains, matches, surely_matched


@pytest.mark.parametrize(
    ("text", "written", "found"),
    [
        ("the loss is 42", "42", True),
        ("the loss is 42", "4", False),
        ("the loss is 42", "2", False),
        ("the loss is 42, then 4", "4", True),
        ("the loss is 4.", "4", True),
        ("the loss is 1.5", "5", False),
        ("the loss is 1.5", "1", False),
        ("float64 and x2", "64", True),
        ("size (3, 4)", "(3, 4)", True),
        ("size (13, 4)", "3, 4)", False),
        ("a+b", "a+b", True),
        ("nothing", "a+b", False),
        ("the loss is -42 now", "42", False),
        ("-42", "42", False),
        ("the loss is -42 now", "-42", True),
        ("x-42", "42", True),
        ("(3)-42", "42", True),
        ("42,000 rows", "42", False),
        ("1,042 rows", "042", False),
        ("[3, 42]", "42", True),
        ("(3,42)", "42", True),
        ("loss 6e-05", "loss 6", False),
        ("loss 6e-05", "05", False),
        ("at 0x3C", "at 0", False),
        ("torch.bfloat16", "float16", False),
        ("torch.float16", "float16", True),
    ],
)
def test_a_number_is_contained_as_a_whole(text: str, written: str, found: bool) -> None:
    """What begins or ends with a digit is no part of a longer number."""
    assert contains(text, written) is found


@pytest.mark.parametrize(
    ("text", "pattern", "found"),
    [
        ("at index 42", r"index \d", True),
        ("at index 42", "index 4", False),
        ("at index 42", "index 42", True),
        ("at index 42", "2$", False),
        ("aa", r"(a)\1", True),
        ("42", "4|x", True),
        ("first\nsecond 2", "(?m)^second 2", True),
    ],
)
def test_a_pattern_that_ends_in_a_number(text: str, pattern: str, found: bool) -> None:
    """A digit that a pattern writes at its edge ends a number; a class of digits need not."""
    assert matches(text, pattern) is found


@pytest.mark.parametrize(
    ("pattern", "sure"),
    [
        ("output 0", "output 0"),
        ("(?x)output # 77", ""),
        ("(?P<_77>output)", " output "),
        (r"1\.5 \(numerical\)", "1.5 (numerical)"),
        (r"input 2[\s\S]*\[\[0\., 0\.\]", "input  [[0., 0.]"),
        ("77|hello", ""),
        ("(77)?x", ""),
        ("(?!77)x", ""),
        ("[0-9]x", " x"),
        ("77?x", "  x"),
        ("77*x", "  x"),
        ("x{3,7}", "x "),
        (r"\d{3}", "  "),
        (r"(.)\1", "   "),
        (r"loss = 0\.\d+", "loss = "),
        ("6[0-9] rows", " rows"),
        ("-?60 rows", " rows"),
        ("60(?# 61) rows", "60 rows"),
        ("^60 rows$", "60 rows"),
        (r"60\s+rows", "60  rows"),
    ],
)
def test_what_a_pattern_is_sure_to_find(pattern: str, sure: str) -> None:
    """Only what stands in every text that a pattern fits is shown by it."""
    assert surely_matched(pattern).split() == sure.split()
