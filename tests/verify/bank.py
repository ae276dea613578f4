"""Small banks to verify in tests, and the shortest way to do so."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

from closedbook.model.bank import Bank, DrawnCard
from closedbook.source import load_bank
from closedbook.source.draws import space_of
from closedbook.source.realise import realise
from closedbook.verify import Options, Report, VerifiedBank, verify_bank

FUNCTIONS = """\
import torch

from closedbook import experiment, flawed, reference

from .help import factor


@reference(example={"input": (3,)})
class Double(torch.autograd.Function):
    @staticmethod
    def forward(input):
        return input * factor()

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 2


@reference(example={"left": (2, 3), "right": (3, 4)})
class Product(torch.autograd.Function):
    @staticmethod
    def forward(left, right):
        return left.mm(right)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        left, right = ctx.saved_tensors
        return grad_output.mm(right.t()), left.t().mm(grad_output)
"""
HELP = """\
def factor():
    return 2


def unused():
    return 3
"""
EXPERIMENTS = """\
import torch

from closedbook import experiment

LIMIT = 5


@experiment
def count(start: int, stop: int) -> dict:
    return {"n": stop - start, "limit": LIMIT, "text": f"from {start} to {stop}", "none": None}


@experiment
def named(function: type[torch.autograd.Function]) -> dict:
    return {"name": function.__name__, "six": 6.0, "correct": 4.0}
"""

UNIT = """\
title: Unit
deck: Deck
outcomes:
  know: Know it.
"""


def card(text: str, *, id: str = "one") -> str:
    """A card file with one question; ``text`` is what follows its id, kind and outcome."""
    head = f"- id: {id}\n  kind: question\n  outcome: know\n"
    return head + textwrap.indent(textwrap.dedent(text).strip("\n"), "  ") + "\n"


def make_bank(root: Path, cards: str, *, unit: str = "unit", **files: str) -> Path:
    """A bank with one card file; ``files`` replaces a file of generators by its stem."""
    folder = root / "cards" / unit
    folder.mkdir(parents=True, exist_ok=True)
    (root / "generators").mkdir(exist_ok=True)
    (root / "cards" / "bank.yaml").write_text("id: bank\ntitle: Bank\n")
    (folder / "unit.yaml").write_text(UNIT)
    (folder / "cards.yaml").write_text(cards)
    sources = {"functions": FUNCTIONS, "help": HELP, "experiments": EXPERIMENTS} | files
    for name, source in sources.items():
        (root / "generators" / f"{name}.py").write_text(source)
    return root


def load(root: Path) -> Bank:
    """The bank in ``root``, which has no mistake of form."""
    bank, problems = load_bank(root)
    assert bank is not None
    assert not problems, "\n".join(map(str, problems))
    return bank


def verify(root: Path, **options: Any) -> tuple[VerifiedBank | None, Report]:
    """Verify the bank in ``root`` in this very process."""
    return verify_bank(load(root), options=Options(**({"jobs": 0} | options)))


def drawn(root: Path, cards: str, draw: int = 0) -> tuple[Bank, DrawnCard]:
    """The first card of a bank under one of its draws; nothing is run."""
    bank = load(make_bank(root, cards))
    space, problems = space_of(bank.cards[0])
    assert space is not None, problems
    made, mistakes = realise(bank.cards[0], list(space.walk())[draw], bank.generators)
    assert made is not None, mistakes
    return bank, made


def messages(report: Report) -> list[str]:
    """What is wrong, each with its place, without excerpts and notes."""
    return [f"{problem.place}: {problem.message}" for problem in report.problems]
