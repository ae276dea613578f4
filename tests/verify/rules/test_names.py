"""The name rule: no exception, warning or dtype out of thin air."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.verify.rules import check_card
from tests.verify.bank import card, drawn

CHECK = """
check:
  run: Double
  with: {input: "(3,)"}
  expect:
    output.dtype: float64
    raises: {type: ValueError, contains: too large}
"""


@pytest.mark.parametrize(
    ("answer", "missing"),
    [
        ("It raises `ValueError`.", []),
        ("It raises a KeyError.", ["KeyError"]),
        ("A `UserWarning` is given.", ["UserWarning"]),
        ("It is in `torch.float64`, not in `float32` as was asked.", []),
        ("It is in `float16`.", ["float16"]),
        ("It is in `complex64`.", ["complex64"]),
        ("It is in `uint8`, or `bfloat16`.", ["uint8", "bfloat16"]),
        ("Warnings and errors, floats and ints.", []),
        ("It ends in a `StopIteration`, or a SystemExit.", ["StopIteration", "SystemExit"]),
        ("It raises a _KeyError_ in __float16__.", ["KeyError", "float16"]),
        ("It is in `float8_e4m3fn`, or in `qint8`.", ["float8_e4m3fn", "qint8"]),
        ("It is in `torch.double`, which is fp64.", []),
        ("It is in `torch.half`.", ["torch.half"]),
        ("It is in `torch.bool`, or bf16.", ["torch.bool", "bf16"]),
        ("There are two ValueErrors, and two KeyErrors.", ["KeyErrors"]),
        ("It is a **Key**Error.", ["KeyError"]),
    ],
)
def test_a_name_stands_where_values_do(tmp_path: Path, answer: str, missing: list[str]) -> None:
    """What is raised, and in which precision, is shown by a check or given by the question."""
    text = card(f'ask: "Is it float32?"\nanswer: "{answer}"\n{CHECK}')
    bank, made = drawn(tmp_path, text)
    found = [(finding.rule, finding.token) for finding in check_card(made, bank.generators)]
    assert found == [("name", name) for name in missing]


def test_an_exempted_claim_names_what_it_likes(tmp_path: Path) -> None:
    """``unchecked`` lets the names of its own sentence pass, and of no other."""
    text = card(
        """
        ask: What?
        claims:
          - say: A `KeyError`, once.
            unchecked: Taken from the release notes.
          - say: An `IndexError`, now.
            check: {run: count, with: {start: 0, stop: 1}, expect: {n: 1}}
        """
    )
    bank, made = drawn(tmp_path, text)
    found = [(finding.rule, finding.token) for finding in check_card(made, bank.generators)]
    assert found == [("name", "IndexError")]


def test_a_reason_names_what_its_option_does(tmp_path: Path) -> None:
    """What explains a wrong option may speak of what that says, and of nothing out of thin air."""
    text = card(
        f"""
        ask: Which?
        options:
          - right: It is a `ValueError`.
          - wrong: It is a `KeyError`.
            because: A KeyError is of a mapping, and an IndexError of a list.
        why: There is no KeyError.
        {CHECK.strip().replace(chr(10), chr(10) + " " * 8)}
        """
    )
    bank, made = drawn(tmp_path, text)
    found = [(finding.rule, finding.token) for finding in check_card(made, bank.generators)]
    assert found == [("name", "IndexError"), ("name", "KeyError")]


def test_an_option_gives_no_name_to_itself(tmp_path: Path) -> None:
    """What the right option says is shown by a check, although it stands in the question."""
    options = "options:\n  - right: An `IndexError`.\n  - wrong: A `KeyError`.\n"
    bank, made = drawn(tmp_path, card(f"ask: Which?\n{options}{CHECK}"))
    found = [(finding.rule, finding.token) for finding in check_card(made, bank.generators)]
    assert found == [("name", "IndexError")]


def test_code_that_runs_gives_its_names(tmp_path: Path) -> None:
    """The source of what the check runs is a place where names stand."""
    functions = """
        import torch
        from closedbook import reference

        @reference(example={"input": (3,)})
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, input):
                if input.dim() > 5:
                    raise IndexError
                return input * 2

            @staticmethod
            def backward(ctx, grad_output):
                return grad_output * 2
        """
    import textwrap

    from closedbook.source.realise import realise
    from tests.verify.bank import load, make_bank

    text = card(f"ask: What?\nanswer: An `IndexError`.\n{CHECK}")
    bank = load(make_bank(tmp_path, text, functions=textwrap.dedent(functions)))
    made, _ = realise(bank.cards[0], {}, bank.generators)
    assert made is not None
    assert not list(check_card(made, bank.generators))
