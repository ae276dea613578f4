"""Printed code is code that the checks run."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.source.realise import realise
from closedbook.verify.rules.listings import check_listings
from tests.verify.bank import card, drawn, load, make_bank

PRINTED = """
ask: What is its shape?
code: CODE
answer: It is (3,).
check:
  run: Double
  with: {input: "(3,)"}
  expect: {output.shape: "(3,)"}
"""
TRAP = """\
- id: one
  kind: trap
  outcome: know
  code: {of: Double}
  ask: Is it right?
  claims:
    - say: Its gradient is right.
      check: {run: Double, with: {input: "(3,)"}, expect: {gradcheck: passes}}
  fix:
    code: FIX
    check: {run: RUN, with: WITH, expect: {gradcheck: passes}}
"""
WITH = {
    "Double": '{input: "(3,)"}',
    "Product": '{left: "(2, 3)", right: "(3, 4)"}',
}


def found(root: Path, text: str) -> list[str]:
    """What is wrong with a card's listings."""
    bank, made = drawn(root, text)
    return [finding.message for finding in check_listings(made, bank.generators)]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("{of: Double}", []),
        ("{of: Product}", ["Product is printed, and it is not what a check of this card runs"]),
        ("return input * factor()", []),
        ("return input  *  factor()", []),
        (
            '"# twice\\n\\nreturn input * factor()"',
            ["'# twice' is printed, and it is no line of what a check of this card "
             "runs: print what runs, with {of: Name}"],
        ),
        (
            "return input",
            ["'return input' is printed, and it is no line of what a check of this card "
             "runs: print what runs, with {of: Name}"],
        ),
        (
            "return input * 77",
            ["'return input * 77' is printed, and it is no line of what a check of this card "
             "runs: print what runs, with {of: Name}"],
        ),
    ],
)  # fmt: skip
def test_the_code_of_a_card_is_what_its_checks_run(
    tmp_path: Path, code: str, said: list[str]
) -> None:
    """A definition that is printed runs, and so does each line that is written on the card."""
    assert found(tmp_path, card(PRINTED.replace("CODE", code))) == said


@pytest.mark.parametrize(
    ("run", "function"), [("named", "Double"), ("named", "Product")], ids=["named", "other"]
)
def test_what_an_experiment_is_given_runs(tmp_path: Path, run: str, function: str) -> None:
    """A Function that a check names as an argument is one that it runs."""
    text = card(
        f"""
        ask: What is its name?
        code: {{of: Double}}
        answer: It is its own.
        check: {{run: {run}, with: {{function: {function}}}, expect: {{name: {function}}}}}
        """
    )
    assert bool(found(tmp_path, text)) is (function != "Double")


INDIRECT = """\
from closedbook import experiment

from .functions import Double, Product


@experiment
def twice() -> dict:
    return {"name": Double.__name__}
"""


@pytest.mark.parametrize(("code", "runs"), [("Double", True), ("Product", False)])
def test_what_runs_leads_to_what_it_names(tmp_path: Path, code: str, runs: bool) -> None:
    """A Function that the source of an experiment names runs with it; an import alone is none."""
    text = PRINTED.partition("check:")[0].replace("CODE", f"{{of: {code}}}")
    text += "check: {run: twice, expect: {name: Double}}"
    bank = load(make_bank(tmp_path, card(text), indirect=INDIRECT))
    made, _ = realise(bank.cards[0], {}, bank.generators)
    assert made is not None
    assert (not list(check_listings(made, bank.generators))) is runs


def test_a_check_that_never_runs_shows_no_code(tmp_path: Path) -> None:
    """Who is let pass, or is about another torch, runs nothing."""
    for pardon in ("unchecked: It is known.", 'versions: "<1"'):
        text = card(
            f"""
            ask: What is its shape?
            code: {{of: Double}}
            claims:
              - say: It has one.
                {pardon}
                check: {{run: Double, with: {{input: "(3,)"}}, expect: {{output.shape: "(3,)"}}}}
            """
        )
        assert len(found(tmp_path, text)) == 1


@pytest.mark.parametrize(
    ("code", "run", "holds"),
    [
        ("{of: Product}", "Product", True),
        ("{of: Product}", "Double", False),
        ("{of: Double}", "Product", False),
        ("return left.mm(right)", "Product", True),
        ("return left.mm(right)", "Double", False),
    ],
)
def test_a_fix_is_run_by_its_own_check(tmp_path: Path, code: str, run: str, holds: bool) -> None:
    """That the card's claims run the flawed code, or another, shows nothing of the mended one."""
    text = TRAP.replace("FIX", code).replace("RUN", run).replace("WITH", WITH[run])
    said = found(tmp_path, text)
    assert (said == []) is holds
    assert all("what the fix's check runs" in message for message in said)
