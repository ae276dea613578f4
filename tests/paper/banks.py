"""Banks for the tests of papers: read by the real reader, drawn by the real drawer.

Only the running of checks is left out: each claim gets evidence that says what was expected,
for these tests judge what is printed of evidence, not how it comes about.
"""

from __future__ import annotations

from pathlib import Path

from closedbook.model.bank import Bank, Card
from closedbook.model.claim import Claim
from closedbook.model.expect import Equals
from closedbook.problem import Place
from closedbook.source import load_bank
from closedbook.source.draws import space_of
from closedbook.source.realise import realise
from closedbook.verify import verified as types
from closedbook.verify.words import fact_in_words

TORCH = "2.13.0"
MOST_DRAWS = 500

BANK = "id: test-bank\ntitle: A bank\n"
UNIT = """\
title: A unit
deck: Tests::A unit
outcomes:
  one: First.
  two: Second.
resources:
  book: {title: A book}
"""

EXPERIMENT = """\
from closedbook import experiment

@experiment
def doubles() -> dict[str, object]:
    return {"same": False}
"""


def write_bank(root: Path, files: dict[str, str]) -> Path:
    """A bank's folder with these files (by path), and ``bank.yaml`` and ``unit.yaml``."""
    for name, text in {"cards/bank.yaml": BANK, "cards/unit/unit.yaml": UNIT, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def read_bank(root: Path) -> types.VerifiedBank:
    """The bank at ``root`` as if all its checks had held."""
    bank, problems = load_bank(root)
    assert bank is not None, "\n".join(map(str, problems))
    assert not [p for p in problems if p.severity == "error"], "\n".join(map(str, problems))
    cards = tuple(_card(card, bank) for card in bank.cards if not card.content.retired)
    return types.VerifiedBank(types._TOKEN, bank, cards, TORCH)


def _card(card: Card, bank: Bank) -> types.VerifiedCard:
    space, problems = space_of(card)
    assert space is not None, problems
    draws = space.sample(MOST_DRAWS)

    def at(index: int) -> types.VerifiedDraw:
        drawn, problems = realise(card, draws[index], bank.generators)
        assert drawn is not None, "\n".join(map(str, problems))
        return types.VerifiedDraw(drawn, tuple(map(_evidence, drawn.claims)))

    return types.VerifiedCard(card, draws, at)


def _evidence(claim: Claim) -> types.Evidence | None:
    if claim.check is None:
        return None
    facts: dict[str, types.Fact] = {
        name: expected.text if isinstance(expected, Equals) else str(expected)
        for name, expected in claim.check.expect.items()
    }
    call = f"{claim.check.run}({', '.join(f'{k}={v}' for k, v in claim.check.arguments.items())})"
    quote = "the text that was raised" if claim.quote else None
    words = {name: fact_in_words(fact) for name, fact in facts.items()}
    return types.Evidence(call, facts, Place("generators/x.py", 3), TORCH, quote, words)
