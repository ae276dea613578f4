"""A mistake is told once, by the first draw that shows it, in whatever order draws come."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from closedbook.problem import Place, Problem
from closedbook.source import load_bank
from closedbook.verify import Options, Report, verify_bank
from closedbook.verify.findings import Findings
from tests.verify.bank import card, make_bank, messages, verify

KIND = ("card", ("answer",), "run")


@pytest.mark.parametrize("order", list(itertools.permutations([3, 1, 2])))
def test_the_first_draw_is_told_and_each_of_the_others_counted_once(order: tuple[int, ...]) -> None:
    """Two claims of a card may show one mistake in each draw: that is still one a draw."""
    findings = Findings()
    for number in (*order, *order):
        findings.add(KIND, {"n": number}, number, lambda: Problem(Place("a.yaml", 1), "wrong"))
    (problem,) = findings.problems()
    assert problem.message == "n=1: wrong"
    assert [note.text for note in problem.notes] == ["and in 2 more draws"]


def test_one_draw_alone_is_not_counted() -> None:
    """A mistake that one draw shows twice says nothing of more draws."""
    findings = Findings()
    for _ in range(2):
        findings.add(KIND, {}, 0, lambda: Problem(Place("a.yaml", 1), "wrong"))
    (problem,) = findings.problems()
    assert (problem.message, problem.notes) == ("wrong", ())


def test_mistakes_of_one_place_stand_in_the_order_of_draws() -> None:
    """The ninth draw comes before the tenth, however their texts are sorted."""
    findings = Findings()
    for number in (10, 9):
        findings.add(
            (*KIND, number), {"n": number}, number, lambda: Problem(Place("a.yaml", 1), "wrong")
        )
    assert [problem.message for problem in findings.problems()] == ["n=9: wrong", "n=10: wrong"]


HEAD = "vary: {k: 0..8, of: [Double, Product]}\nask: What?\n"
CHECK = """
check:
  run: Double
  with: {input: "(9,)"}
  expect: {output.shape: "(9,)"}
"""
FACTS = """
answer: It is so.
check:
  run: Double
  with: {input: "(9,)"}
  expect:
    "grad_input[{{ k }}].ndim": 5
    "grad_input[{{ k }}].shape": (9,)
"""
NAME = """
answer: It is so.
check:
  run: named
  with: {function: "{{ of }}2"}
  expect: {six: 6}
"""
SHAPE = """
answer: It is so.
check:
  run: Double
  with: {input: "({{ k }})"}
  expect: {output.ndim: 1}
"""
STATED = "is stated, but neither the asking side nor a check of this card"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            """answer: "It is {{ k * 1000 + 777 }}." """ + CHECK,
            [f"6:18: k=0, of=Double: '777' {STATED} states it"],
        ),
        (
            """answer: "{{ k + 777 }} or {{ k + 888 }}, 999 or 999" """ + CHECK,
            [
                f"6:12: k=0, of=Double: '777' {STATED} states it",
                f"6:29: k=0, of=Double: '888' {STATED} states it",
                f"6:44: k=0, of=Double: '999' {STATED} states it",
            ],
        ),
        (
            """answer: "{{ 'Key' if k else 'Index' }}Error" """ + CHECK,
            [f"6:12: k=0, of=Double: 'IndexError' {STATED} has it"],
        ),
        (
            FACTS,
            [
                "12:35: k=0, of=Double: grad_input[0].ndim of Double: expected 5, observed 0",
                "13:36: k=0, of=Double: grad_input[0].shape of Double: expected (9,), observed ()",
            ],
        ),
        (NAME, ["10:22: no Function in generators/ is called 'Double2' (did you mean 'Double'?)"]),
        (SHAPE, ["10:19: (0) is a number in brackets: the shape of one dimension is (0,)"]),
    ],
)
def test_a_mistake_that_reads_otherwise_in_each_draw_is_one(
    tmp_path: Path, text: str, told: list[str]
) -> None:
    """What a draw writes into a text, a name or a message makes no second mistake of one."""
    bank, _ = load_bank(make_bank(tmp_path, card(HEAD + text)))
    assert bank is not None
    _, report = verify_bank(bank, options=Options(jobs=0))
    path = "cards/unit/cards.yaml:"
    assert [message.removeprefix(path) for message in messages(report)] == told
    assert {str(problem.notes[-1]) for problem in report.problems} == {"and in 17 more draws"}


OWN = """
ask: What?
claims:
  - say: It is so.
    check:
      run: count
      with:
        start: 1
        stop: 2.5
      expect: {n: 1}
"""
INHERITED = """
ask: What?
check:
  run: count
  with: {start: one, stop: 2}
claims:
  - say: It is so.
    expect: {n: 1}
  - say: It is so, too.
    expect: {n: 1}
"""
INHERITED_BY_A_CHECK = """
ask: What?
check:
  run: count
  with: {start: one, stop: 2}
claims:
  - say: It is so.
    check: {timeout: 9, expect: {n: 1}}
"""
OF_DRAWS = """
vary: {k: 1..3}
ask: What?
answer: It is so.
check:
  run: count
  with: {start: 1, stop: "{{ k }}.5"}
  expect: {n: 1}
"""
TENSOR = """
ask: What?
answer: It is so.
check:
  run: Product
  with:
    left: (2, 3)
    right: {shape: "(3, 4)", dtype: int64, requires_grad: true}
  expect: {output.ndim: 2}
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (OWN, "11:17: count takes 'stop' as int, not 2.5"),
        (INHERITED, "7:19: count takes 'start' as int, not 'one'"),
        (INHERITED_BY_A_CHECK, "7:19: count takes 'start' as int, not 'one'"),
        (OF_DRAWS, "9:28: k=1: count takes 'stop' as int, not 1.5"),
        (TENSOR, "10:14: 'right' cannot be made: "),
    ],
)
def test_an_argument_that_does_not_fit_is_shown_where_it_is_given(
    tmp_path: Path, text: str, told: str
) -> None:
    """The caret stands under the value, in the check's own `with` or in the one it inherits."""
    _, report = verify(make_bank(tmp_path, card(text)))
    [message] = messages(report)
    assert message.removeprefix("cards/unit/cards.yaml:").startswith(told)


LISTED = """\
from closedbook import experiment


@experiment
def words(text: str) -> dict:
    return {"listed": sorted(text.split()), "first": sorted(text.split())[0]}
"""
ASK = """\
ask: What?
check: {run: words, with: {text: bb a cc}, expect: {first: a}}
claims:
  - say: It is `a`.
"""
DOUBLE = """\
ask: What?
check:
  run: Double
  with: {input: "(9,)"}
claims:
  - say: It is `grad_output * 2`.
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        pytest.param(
            f"{ASK}    expect: {{first: a}}\n    quote: listen\n",
            ["9:14: 'listen' cannot be quoted: no such fact (did you mean 'listed'?)"],
            id="quote of no fact",
        ),
        pytest.param(
            "ask: What?\nanswer: It is so.\ncheck:\n  run: count\n  with: {start: 1, stop: 2}\n"
            "  expect: {n: 1}\nquote: n\n",
            ["10:10: 'n' cannot be quoted: it is 1, and no text"],
            id="quote of a number that is expected too",
        ),
        pytest.param(
            f"{ASK}    expect: {{frist: a}}\n",
            ["8:16: frist of words: no such fact (did you mean 'first'?)"],
            id="fact",
        ),
        pytest.param(
            f"{ASK}    expect:\n      listed: (3,)\n",
            [
                "9:17: listed of words is not what was expected",
                "expected (3,), the list [3]",
                "observed ['a', 'bb', 'cc']: a tuple stands for a list's values here; for how "
                "many there are have the experiment return len(…) (generators/words.py:5)",
            ],
            id="length",
        ),
        pytest.param(
            f'{DOUBLE}    expect: {{grad_input: "(9,)"}}\n'.replace("(9,)", "(1,)"),
            [
                "10:28: grad_input of Double is not what was expected",
                "expected (1,), the list [1]",
            ],
            id="shape",
        ),
        pytest.param(
            f"{DOUBLE}    expect: {{grad_input: {{formula: grad_outptu * 2}}}}\n",
            ["10:38: grad_input of Double: the formula cannot be used: unknown name "
             "'grad_outptu' (did you mean 'grad_output'?)"],
            id="name in a formula",
        ),
        pytest.param(
            f'{DOUBLE}    expect: {{grad_input: {{formula: "2 * grad_output.bmul(2)"}}}}\n',
            ["10:55: grad_input of Double: the formula cannot be used: 'bmul' is not among the "
             "functions of formulas (did you mean 'mul'?)"],
            id="function in a formula",
        ),
        pytest.param(
            f'{DOUBLE}    expect: {{grad_outptu.t().shape: "(9,)"}}\n',
            ["10:16: grad_outptu.t().shape of Double: the formula cannot be used: unknown name "
             "'grad_outptu' (did you mean 'grad_output'?)"],
            id="name in a fact that is an expression",
        ),
        pytest.param(
            f"{DOUBLE}    expect: {{grad_input: {{formula: 2 * grad_output}}}}\n".replace(
                "(9,)", "(1,)"
            ),
            [
                "10:38: grad_input of Double: the formula cannot be used: every size here is 1, "
                "where no wrong axis shows: give sizes from 2",
                "10:38: the formula `2 * grad_output` is checked, but the claim does not show it "
                "as code",
            ],
            id="a formula that is no mistake of spelling has two",
        ),
    ],
)  # fmt: skip
def test_a_mistake_in_what_is_expected_is_shown_where_it_is_written(
    tmp_path: Path, text: str, told: list[str]
) -> None:
    """A name of no fact is shown at the name, a word of a formula in the formula, once."""
    _, report = verify(make_bank(tmp_path, card(text), words=LISTED))
    lines = [line for line in _lines(report) if not line.startswith("from ")]
    assert [line for line, _ in zip(lines, told, strict=False)] == told
    assert len(report.problems) == sum(line[0].isdigit() for line in told)


def _lines(report: Report) -> list[str]:
    """The messages with their places, each before its notes."""
    path = "cards/unit/cards.yaml:"
    return [
        line
        for problem in report.problems
        for line in (
            f"{problem.place}: {problem.message}".removeprefix(path),
            *map(str, problem.notes),
        )
    ]
