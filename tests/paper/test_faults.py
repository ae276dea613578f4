"""Traps on a key: which lines are at fault, by the numbers that the paper prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.model.bank import Listing
from closedbook.paper.check import check_papers
from closedbook.paper.faults import fault_of, fault_sentence
from closedbook.paper.make import Maker
from closedbook.paper.plan import make_plan
from closedbook.paper.trees import plain
from closedbook.source import load_bank
from tests.paper.banks import EXPERIMENT, read_bank, write_bank

WRONG = """\
class Wrong(Function):
    @staticmethod
    def forward(ctx, x):
        x.mul_(2)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad.view(6)
"""
METHOD = """\
    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.x = inputs

"""
TRAP = """\
- id: a-trap
  kind: trap
  outcome: one
  code: |
    def double(x):
        x += x
        return x
  ask: Is anything wrong with it?
  FAULT
  claims:
    - {say: It writes into its argument., unchecked: It is plain to see.}
  why: The caller's list grows.
  fix:
    code: |
      def twice(x):
          return x + x
    say: It makes a new one.
    check:
      run: doubles
      expect: {same: false}
"""
EXAM = "title: One\nminutes: 5\nsections:\n  - {title: Traps, cards: [a-trap], points: 3}\n"


def told(mended: str, *stated: str) -> str | None:
    """What the key says of WRONG beside this mended code."""
    fault = fault_of(Listing(WRONG), stated, Listing(mended))
    return plain(fault_sentence(fault)) if fault else None


@pytest.mark.parametrize(
    ("mended", "says"),
    [
        (WRONG.replace(".view(6)", ".reshape(6)"), "Line 9: return grad.view(6)"),
        (
            WRONG.replace("x.mul_(2)\n", "x.mul_(2)\n        ctx.mark_dirty(x)\n"),
            "A line is missing after line 4, x.mul_(2)",
        ),
        (
            WRONG.replace("x.mul_(2)\n        return x", "return x * 2"),
            "Line 4: x.mul_(2) Line 5: return x",
        ),
        (
            WRONG.replace(
                "\n    @staticmethod\n    def back", f"\n{METHOD}    @staticmethod\n    def back"
            ),
            "3 lines are missing after line 5, return x",
        ),
        (
            WRONG[: WRONG.index("\n    @staticmethod\n    def back")],
            "Line 7: @staticmethod Line 8: def backward(ctx, grad): Line 9: return grad.view(6)",
        ),
        (
            WRONG.replace(
                WRONG[
                    WRONG.index("    @staticmethod") : WRONG.index(
                        "    @staticmethod\n    def back"
                    )
                ],
                "",
            ),
            "Line 2: @staticmethod Line 3: def forward(ctx, x): Line 4: x.mul_(2) Line 5: return x",
        ),
    ],
    ids=["changed", "missing", "several", "a method missing", "the last", "the first"],
)
def test_the_mended_code_shows_the_fault(mended: str, says: str) -> None:
    """Where the two differ in one place, beside their names, that is the fault."""
    assert told(mended.replace("Wrong", "Right")) == says


@pytest.mark.parametrize(
    "mended",
    [
        WRONG.replace("x.mul_(2)", "x = 2 * x").replace("view", "reshape"),
        "return grad.reshape(6)\n",
        "class Right(Function):\n    pass\n",
    ],
    ids=["two places", "a piece", "another style"],
)
def test_what_differs_in_style_too_shows_no_fault(mended: str) -> None:
    """Only the author can tell then, and quotes the line."""
    assert told(mended) is None
    assert told(mended, "return grad.view(6)") == "Line 9: return grad.view(6)"


def bank(root: Path, fault: str) -> Path:
    """A bank of one trap, on one paper."""
    cards = TRAP.replace("  FAULT\n", fault)
    files = {"cards/unit/cards.yaml": cards, "exams/one.yaml": EXAM}
    return write_bank(root, {**files, "generators/experiments/doubles.py": EXPERIMENT})


def test_the_key_names_the_line_that_the_paper_asks_for(tmp_path: Path) -> None:
    """The answer to part (a) begins with the line and its number, and goes on with the reason."""
    verified = read_bank(bank(tmp_path, "  fault: x += x\n"))
    plan, problems = make_plan(verified, verified.bank.blueprints[0])
    assert plan is not None, problems
    (question,) = Maker(verified, plan).variant(0).questions
    assert plain(question.parts[0].awards[0].says) == "Line 2: x += x The caller's list grows."


def test_a_fault_without_points_of_its_own_stands_with_the_reason(tmp_path: Path) -> None:
    """Where observation and mended code take all points, the key names the line all the same."""
    cards = TRAP.replace("plain to see.}", "plain to see., points: 1}").replace(
        "    say: It makes", "    points: 2\n    say: It makes"
    )
    files = {"cards/unit/cards.yaml": cards.replace("  FAULT\n", "  fault: x += x\n")}
    files |= {"exams/one.yaml": EXAM, "generators/experiments/doubles.py": EXPERIMENT}
    verified = read_bank(write_bank(tmp_path, files))
    plan, problems = make_plan(verified, verified.bank.blueprints[0])
    assert plan is not None, problems
    (question,) = Maker(verified, plan).variant(0).questions
    assert [part.points for part in question.parts] == [1, 2]
    assert plain(question.why) == "Line 2: x += x The caller's list grows."


def test_a_line_that_the_code_does_not_have_is_an_error(tmp_path: Path) -> None:
    """The message stands at the line of the card, and guesses what was meant."""
    read, _ = load_bank(bank(tmp_path, "  fault: [x = x, x += x]\n"))
    assert read is not None
    (problem,) = check_papers(read)
    assert str(problem).startswith(
        "cards/unit/cards.yaml:9:11: the code of 'a-trap' has no line 'x = x' "
    )


def test_a_line_that_the_code_has_twice_is_quoted_with_its_number(tmp_path: Path) -> None:
    """Without it nobody could tell which is at fault, and the message names both."""
    repeated = TRAP.replace("        return x\n  ask", "        x += x\n        return x\n  ask")
    for stated, told in (
        ("x += x", "has the line 'x += x' more than once, as 2 and 3"),
        ("'3: x += x'", ""),
        ("'4: x += x'", "has no line '4: x += x'"),
    ):
        cards = repeated.replace("  FAULT\n", f"  fault: {stated}\n")
        files = {"cards/unit/cards.yaml": cards, "exams/one.yaml": EXAM}
        root = write_bank(tmp_path, {**files, "generators/experiments/doubles.py": EXPERIMENT})
        read, _ = load_bank(root)
        assert read is not None
        assert [told in str(problem) for problem in check_papers(read)] == [True] * bool(told)
    fault = fault_of(Listing("x += x\nx += x"), ["2: x += x"], None)
    assert fault is not None
    assert fault.lines == ((2, "x += x"),)


def test_lines_are_counted_as_the_paper_counts_them() -> None:
    """Typst begins a line at each sign that Unicode calls a line's end."""
    fault = fault_of(Listing("a = 1\u2028b = 2\nc = 3\nreturn c"), ["return c"], None)
    assert fault is not None
    assert fault.lines == ((4, "return c"),)
