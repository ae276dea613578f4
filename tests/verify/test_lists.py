"""Lists of texts, which an experiment takes like any other argument."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.model.bank import Bank, DrawnCard
from closedbook.source import load_bank
from closedbook.source.realise import realise
from closedbook.verify.plan import Planner
from closedbook.verify.words import call_in_words
from tests.verify.bank import card, load, make_bank, verify

CODE = """\
from collections.abc import Sequence
from typing import Any

import torch

from closedbook import experiment


@experiment
def kinds(
    words: list[str] = [],
    both: list[int | str] = [],
    seen: Sequence[str] = (),
    pairs: list[list[str]] = [],
    fixed: tuple[str, ...] = (),
    plain: list = [],
    any_: Any = None,
    functions: list[type[torch.autograd.Function]] = [],
):
    given = {**locals()}
    given["functions"] = [each.__name__ for each in functions]
    return {name: repr(value) for name, value in given.items()}


@experiment
def longest(words: list[str]) -> dict[str, str]:
    return {"word": max(words, key=len), "count": len(words)}


@experiment
def total(tensor: torch.Tensor) -> dict[str, float]:
    return {"sum": tensor.sum().item()}
"""


def test_a_list_is_what_the_annotation_says(tmp_path: Path) -> None:
    """Texts stay as they were typed, numbers are numbers where the annotation has them."""
    text = card("""\
        ask: Which?
        answer: These.
        check:
          run: kinds
          with:
            words: [pear, 1.10, "3 figs"]
            both: [pear, 3]
            seen: [1, 2]
            pairs: [[pear, fig], [plum]]
            fixed: [pear, fig]
            plain: [pear, 1.5, None, true]
            any_: [pear, [1, fig]]
            functions: [Double]
          expect:
            words: "['pear', '1.10', '3 figs']"
            both: "['pear', 3]"
            seen: "['1', '2']"
            pairs: "[['pear', 'fig'], ['plum']]"
            fixed: "('pear', 'fig')"
            plain: "['pear', 1.5, None, True]"
            any_: "['pear', [1, 'fig']]"
            functions: "['Double']"
        """)
    _, report = verify(make_bank(tmp_path, text, lists=CODE))
    assert [str(problem) for problem in report.problems] == []


def longest(words: str, answer: str) -> str:
    """A card on the longest of some words."""
    return card(
        f"ask: Which word is the longest?\nanswer: {answer}\n"
        f"check:\n  run: longest\n  with: {{words: {words}}}\n  expect: {{word: pear}}\n"
    )


def test_a_number_in_a_text_of_a_list_is_in_the_check(tmp_path: Path) -> None:
    """The rule for numbers reads the texts of a list as it reads a text."""
    good = longest("[pear, f 7]", "The `pear`, not the one with a 7.")
    assert verify(make_bank(tmp_path, good, lists=CODE))[1].problems == []
    bad = longest("[pear, f 7]", "The `pear`, 8 times.")
    (problem,) = verify(make_bank(tmp_path, bad, lists=CODE))[1].problems
    assert problem.message.startswith("'8' is stated")


def only(root: Path) -> tuple[Bank, DrawnCard]:
    """The bank, and its first card."""
    bank = load(root)
    made, mistakes = realise(bank.cards[0], {}, bank.generators)
    assert made is not None, mistakes
    return bank, made


def keys(root: Path) -> set[str]:
    """The keys of the receipts of the bank's first card."""
    bank, made = only(root)
    return {request.job.key for request in Planner(bank).requests(made)}


def test_receipts_and_words_tell_lists_apart(tmp_path: Path) -> None:
    """Another text, or another order, is another check; `cards show` writes it as Python does."""
    seen = set()
    for words in ("[pear, fig]", "[fig, pear]", "[pear, 1]", "[pear, 1.0]", "[[pear], fig]"):
        seen |= keys(make_bank(tmp_path, longest(words, "The `pear`."), lists=CODE))
    assert len(seen) == 5
    bank, made = only(tmp_path)
    (claim,) = made.claims
    assert claim.check is not None
    said = call_in_words(claim.check, bank.generators["longest"])
    assert said == "longest(words=[['pear'], 'fig'])"


def test_a_receipt_hangs_on_the_functions_that_a_list_names(tmp_path: Path) -> None:
    """A Function that a list hands over is among what the check reaches."""
    text = card(
        "ask: Which?\nanswer: These.\n"
        "check:\n  run: kinds\n  with: {functions: [Double]}\n  expect: {words: '[]'}\n"
    )
    before = keys(make_bank(tmp_path, text, lists=CODE))
    assert keys(make_bank(tmp_path, text, lists=CODE)) == before
    file = next((tmp_path / "generators").glob("functions*"))
    file.write_text(file.read_text().replace("grad_output * 2", "grad_output * 2.0"))
    assert keys(tmp_path) != before


@pytest.mark.parametrize(
    ("run", "given", "told"),
    [
        ("total", "{tensor: [1, two]}", "total takes 'tensor' as torch.Tensor, not the list"),
        ("longest", "{words: [1.10]}", "longest takes 'words' as list[str], not a tensor"),
        ("Double", "{input: [1, two]}", "a list is a tensor's values: expected a number, found"),
    ],
)
def test_a_list_that_does_not_fit(tmp_path: Path, run: str, given: str, told: str) -> None:
    """A tensor is made of numbers alone, and of a number nobody knows how it was typed."""
    text = card(
        f"ask: Which?\nanswer: These.\ncheck:\n  run: {run}\n  with: {given}\n  expect: {{sum: 3}}"
    )
    root = make_bank(tmp_path, text, lists=CODE)
    problems = load_bank(root)[1] or verify(root)[1].problems
    assert problems[0].message.startswith(told)
