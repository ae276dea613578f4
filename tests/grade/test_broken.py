"""The second half of a task: the break must be where it is asked, the quotation must be true."""

from __future__ import annotations

import pytest
import torch
from torch.autograd.gradcheck import GradcheckError

from closedbook.grade import Assignment, PointMark, Sandbox
from closedbook.grade.broken import grade_broken, read_quote
from closedbook.grade.text.attempt import Attempt
from tests.grade.material import GALLERY

RIGHT = (GALLERY / "right" / "separate.py").read_text("utf-8")
ZEROS = RIGHT.replace("grad_output.sum(0)", "torch.zeros_like(bias)")
OTHER = RIGHT.replace("grad_output.mm(weight)", "-grad_output.mm(weight)")
BOTH = ZEROS.replace("grad_output.mm(weight)", "-grad_output.mm(weight)")


def quoted(source: str) -> str:
    """What torch's own gradcheck says of a version, at n=1, i=2, o=2."""
    space: dict[str, object] = {}
    exec(compile(source, "broken", "exec"), space)  # noqa: S102  the gallery's own text, changed
    torch.manual_seed(1)
    inputs = [torch.randn(s).double().requires_grad_() for s in ((1, 2), (2, 2), (2,))]
    function = space["LinearFunction"]
    with pytest.raises(GradcheckError) as caught:
        torch.autograd.gradcheck(function.apply, inputs, eps=1e-6, atol=1e-4)  # type: ignore[attr-defined]  # a class that exec made
    return str(caught.value)


QUOTE = quoted(ZEROS)
NUMERICAL = QUOTE.partition("numerical:")[2].partition("analytical:")[0]
TWICE = QUOTE.partition("analytical:")[0] + "analytical:" + NUMERICAL


def grade(
    assignments: dict[str, Assignment], sandbox: Sandbox, source: str | None, quote: str | None
) -> list[PointMark]:
    """The two marks."""
    attempt = None if source is None else Attempt("broken.py", source)
    return grade_broken(assignments["task-linear"], attempt, quote, sandbox, 7)


def test_the_right_break_and_its_own_words_get_all(
    assignments: dict[str, Assignment], sandbox: Sandbox
) -> None:
    """Zeros for the bias, and torch's own message at the learner's sizes: both halves."""
    marks = grade(assignments, sandbox, ZEROS, QUOTE)
    assert [(mark.probe, mark.full) for mark in marks] == [("broken", True), ("quote", True)]
    assert sum(mark.points for mark in marks) == 3


@pytest.mark.parametrize(
    ("source", "quote", "full", "words"),
    [
        (RIGHT, QUOTE, [False, False], "nothing is broken"),
        (OTHER, QUOTE, [False, False], "with respect to input 0"),
        (BOTH, QUOTE, [False, False], "a mismatch for output 0 with respect to input 0"),
        (ZEROS, None, [True, False], "no quotation"),
        (ZEROS, "it failed", [True, False], "without such a line"),
        (ZEROS, QUOTE.replace("input 2", "input 1"), [True, False], "input 1"),
        (ZEROS, QUOTE.replace("0.", "7."), [True, False], "other numbers"),
        (ZEROS, QUOTE.replace("1.0000", "3.0000"), [True, False], "other numbers"),
        (ZEROS, QUOTE.replace("]]", "], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0], [0, 0]]"),
         [True, False], "of shape"),
        (ZEROS, TWICE, [True, False], "the same one twice"),
        (ZEROS, QUOTE.splitlines()[0], [True, True], ""),
        (ZEROS, "\n".join(f"> {line}" for line in QUOTE.splitlines()), [True, True], ""),
        (None, QUOTE, [False, False], "not handed in"),
        ("x = (", QUOTE, [False, False], "SyntaxError"),
        ("import os\nos.fork()\n" + ZEROS, QUOTE, [False, False], "`os`"),
    ],
)  # fmt: skip
def test_what_is_not_so_loses_its_half(
    source: str | None,
    quote: str | None,
    full: list[bool],
    words: str,
    assignments: dict[str, Assignment],
    sandbox: Sandbox,
) -> None:
    """A break elsewhere, no break, another's numbers, no words: each is said."""
    marks = grade(assignments, sandbox, source, quote)
    assert [mark.full for mark in marks] == full
    said = " ".join(f"{m.reason.expected} {m.reason.seen}" for m in marks if m.reason)
    assert words in said


def test_a_broken_version_that_cannot_be_read_says_why(
    assignments: dict[str, Assignment], sandbox: Sandbox
) -> None:
    """What is no Python file is named as the reason of both lost halves."""
    unread = Attempt("broken.py", None, "is a folder")
    marks = grade_broken(assignments["task-linear"], unread, QUOTE, sandbox, 7)
    assert [m.reason.seen for m in marks if m.reason] == ["it is a folder"] * 2


def test_a_quotation_is_read_not_evaluated() -> None:
    """Numbers come from the text's brackets; anything else in it is nothing."""
    head = "Jacobian mismatch for output 1 with\n respect to input 0,\n"
    text = f"{head}numerical:tensor([[1., exit()]])"
    found = read_quote(text)
    assert found is not None
    assert (found.output, found.input, found.numerical) == (1, 0, None)
    assert read_quote("x" * 100_000) is None
