"""Rules between a claim's sentence and its check."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from closedbook.verify.rules.claims import check_claims
from tests.verify.bank import card, drawn


def found(root: Path, text: str) -> list[str]:
    """What is wrong with a card's claims, with the line of each."""
    _, made = drawn(root, text)
    return [
        f"{made.card.origin.place(finding.loc).line}: {finding.message}"
        for finding in check_claims(made)
    ]


def with_formula(answer: str) -> str:
    """A card that checks a formula, and says ``answer``."""
    return card(
        f"""
        ask: What is it?
        answer: {json.dumps(answer)}
        check:
          run: Product
          with: {{left: "(2, 3)", right: "(3, 4)"}}
          expect:
            grad_left: {{formula: "grad_output.mm(right.t())"}}
        """
    )


@pytest.mark.parametrize(
    "answer",
    [
        "It is `grad_output.mm(right.t())`.",
        "It is `grad_output.mm( right.t() )`.",
        "See:\n\n```python\ngrad_left = grad_output.mm(right.t())\n```\n",
        "`return grad_output.mm(right.t())`",
        "`dL = grad_output.mm(right.t())`",
    ],
)
def test_a_formula_that_is_shown(tmp_path: Path, answer: str) -> None:
    """A checked formula stands in its claim as code: alone, assigned, or returned."""
    assert found(tmp_path, with_formula(answer)) == []


@pytest.mark.parametrize(
    "answer",
    [
        "It is grad_output.mm(right.t()).",
        "It is `grad_output.mm(right)`.",
        "It is `2 * grad_output.mm(right.t())`.",
        "It is `grad_output.mm(right.t()).sum()`.",
        "It is not so: `grad_left != grad_output.mm(right.t())`.",
        "`grad_right = grad_output.mm(right.t())`",
    ],
)
def test_a_formula_that_is_not_shown(tmp_path: Path, answer: str) -> None:
    """A formula that holds while the claim prints another, or none, is a mistake at its place."""
    [message] = found(tmp_path, with_formula(answer))
    assert message == (
        "10: the formula `grad_output.mm(right.t())` is checked, "
        "but the claim does not show it as code"
    )


def silent(say: str, expect: str) -> str:
    """A card with one claim about ``named``."""
    return card(
        f"ask: What?\nclaims:\n  - say: {say}\n    check:\n      run: named\n"
        f"      with: {{function: Double}}\n      expect: {{{expect}}}\n"
    )


@pytest.mark.parametrize(
    ("say", "expect", "holds"),
    [
        ("It goes wrong in silence.", "six: 6, correct: 4", True),
        ("It is silently wrong.", "six: 6, correct: 6", False),
        ("It is silently wrong.", "six: 6, correct: 6.0", False),
        ("It is silently wrong.", "six: 6, correct: 6.0000001", False),
        ("It is silently wrong.", "six: {value: 6, atol: 0.5}, correct: 6.4", False),
        ("It is silently wrong.", "ok: true, correct: 6", False),
        ("It is silently wrong.", "ok: true, correct: None", False),
        ("It is silently wrong.", "raises: None, correct: 6", False),
        ("It is silently wrong.", "warns: None, six: 6, correct: 6", False),
        ("It is silently wrong.", "text: six, correct: 6", False),
        ("It is silently wrong.", "none: None, correct: 6", True),
        ("It is silently wrong.", "ok: true, correct: false", True),
        ("It is silently wrong.", 'all: "[1, 2]", correct: [1.0, 2.0]', False),
        ("It is silently wrong.", "all: [1, 2], correct: [1.0, 2.0]", False),
        ("It is silently wrong.", "all: [1, 2], correct: [1, 3]", True),
        ("It is silently wrong.", "all: [1, 2], correct: 3", True),
        ("It is silently wrong.", "n: nan, correct: 3", True),
        ("It is silently wrong.", "n: nan, correct: nan", False),
        ("It is silently wrong.", 'size: "(3, 4)", correct: "(4, 3)"', True),
        ("It is silently wrong.", 'size: "(3, 4)", correct: "(3,4)"', False),
        ("A silent mistake.", "six: 6", False),
        ("It passes unnoticed.", "correct: 4", False),
        ("It is silenced.", "six: 6", True),
        ("It does not go wrong in silence.", "raises: {type: RuntimeError}", True),
    ],
)
def test_silence_needs_a_control(tmp_path: Path, say: str, expect: str, holds: bool) -> None:
    """What goes wrong in silence expects the observed value and, under its name, the right one."""
    assert [message.partition(" needs")[1] for message in found(tmp_path, silent(say, expect))] == (
        [] if holds else [" needs"]
    )


@pytest.mark.parametrize(
    ("expect", "why"),
    [
        (
            "observed: 0.9999999999999999, right: 1",
            ": 'observed' and 'right' differ by less than their tolerances allow: "
            "state atol and rtol of each, as in right: {value: 1, atol: 0, rtol: 0}",
        ),
        (
            "all: [1, 2.0000001], correct: [1, 2]",
            ": 'all' and 'correct' differ by less than their tolerances allow: "
            "state atol and rtol of each, as in correct: {value: [1, 2], atol: 0, rtol: 0}",
        ),
        ("six: 6, correct: 6.0", " that differs: 'six' and 'correct' are expected to be the same"),
        (
            "ok: true, correct: 6",
            ": 'ok' and 'correct' are of different kinds, and cannot be compared",
        ),
        (
            "six: 6",
            ": expect the observed value, and under a name such as 'correct' the right one, "
            "which differs",
        ),
    ],
)
def test_what_is_wrong_with_a_control_is_said(tmp_path: Path, expect: str, why: str) -> None:
    """A control that is there, and too near, or of another kind, is not asked for again."""
    [message] = found(tmp_path, silent("It is wrong in silence.", expect))
    assert message == f"6: 'in silence' needs a control{why}"


def test_a_control_of_another_number_of_digits(tmp_path: Path) -> None:
    """What the message says to write makes the claim hold."""
    exact = "{value: 0.9999999999999999, atol: 0, rtol: 0}"
    text = silent(
        "It is wrong in silence.", f"observed: {exact}, right: {{value: 1, atol: 0, rtol: 0}}"
    )
    assert found(tmp_path, text) == []


def test_a_claim_without_a_check(tmp_path: Path) -> None:
    """A sentence that no check shows is a mistake, unless its author exempts it."""
    text = card("ask: What?\nclaims:\n  - say: It is so.\n  - say: It is.\n    unchecked: seen\n")
    bank_text = text + card(
        "ask: What?\nanswer: This.\ncheck:\n  run: count\n  with: {start: 1, stop: 2}\n"
        "  expect: {n: 1}\n",
        id="two",
    )
    try:
        messages = found(tmp_path, bank_text)
    except AssertionError as refused:
        # Reading may refuse it first: either way it does not get through.
        messages = [str(refused)]
    assert len(messages) == 1
    assert "check" in messages[0]
