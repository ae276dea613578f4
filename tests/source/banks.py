"""Small banks for tests: the bank of ``tests/problems`` with other cards or generators in it."""

from __future__ import annotations

import shutil
from pathlib import Path

from closedbook.model.bank import Bank, Card
from closedbook.problem import Problem
from closedbook.source import load_bank

BANK = Path(__file__).parents[1] / "problems" / "bank"


def bank_with(root: Path, cards: str | bytes = "", **files: str) -> tuple[Bank, list[Problem]]:
    """Load the small bank with these cards and other files.

    ``generators__x_py`` is the text of ``generators/x.py``.
    """
    shutil.copytree(BANK, root, dirs_exist_ok=True)
    data = cards if isinstance(cards, bytes) else cards.encode()
    if data:
        (root / "cards/linear/cards.yaml").write_bytes(data)
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_yaml", ".yaml").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    bank, problems = load_bank(root)
    assert bank is not None
    return bank, problems


def only_card(root: Path, card: str, **files: str) -> tuple[Card, Bank]:
    """Load one card that has nothing wrong with it."""
    bank, problems = bank_with(root, card, **files)
    assert not problems, "\n".join(map(str, problems))
    (found,) = bank.cards
    return found, bank
