"""The ledger, ``exams/ledger.yaml``: which cards and numbers earlier papers used.

Kept as YAML that a person can read and mend, one paper an entry, the newest last.
"""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import yaml

from closedbook.beside import write_text
from closedbook.model.bank import Draw
from closedbook.paper.plan import Plan, Used
from closedbook.problem import Place, Problem
from closedbook.verify.verified import VerifiedBank

RECENT = 3
"""How many of the newest papers count as recent."""

PATH = "exams/ledger.yaml"
HEAD = """\
# Which cards earlier papers used, by 'cards exam --record'. Later papers avoid them.
"""


def read_used(
    root: Path, exam: str, seed: int, *, recent: int = RECENT
) -> tuple[Used, list[Problem]]:
    """The cards and draws of the newest ``recent`` papers; none where there is no ledger.

    A paper that the ledger holds already, by its blueprint and seed, looks only at those before
    it: it comes out the same when it is printed again.
    """
    entries, problems = _entries(root)
    own = [at for at, e in enumerate(entries) if (e["exam"], e["seed"]) == (exam, seed)]
    entries = entries[: own[0]] if own else entries
    draws: dict[str, list[Draw]] = {}
    for entry in entries[-recent:]:
        for card, found in entry["cards"].items():
            draws.setdefault(card, []).extend(found)
    return Used(draws), problems


def record(root: Path, plan: Plan, verified: VerifiedBank, on: datetime.date) -> None:
    """Add a paper to the ledger; the same paper recorded again replaces its own entry."""
    entries, problems = _entries(root)
    if problems:
        return
    cards = {card.card.id: card for card in verified.cards}
    used: dict[str, list[dict[str, Any]]] = {}
    for variant in plan.variants:
        for slot in variant:
            draw = dict(cards[slot.card].draws[slot.draw])
            found = used.setdefault(slot.card, [])
            if draw not in found:
                found.append(draw)
    entry = {
        "exam": plan.blueprint.id,
        "on": on.isoformat(),
        "seed": plan.seed,
        "cards": dict(sorted(used.items())),
    }
    entries = [old for old in entries if (old["exam"], old["seed"]) != (entry["exam"], plan.seed)]
    text = HEAD + yaml.safe_dump([*entries, entry], sort_keys=False, allow_unicode=True, width=100)
    write_text(root / PATH, text)


def _entries(root: Path) -> tuple[list[dict[str, Any]], list[Problem]]:
    path = root / PATH
    if not path.exists():
        return [], []
    try:
        entries = yaml.safe_load(path.read_text(encoding="utf-8")) or []
        for entry in entries:
            # written by hand without quotes, YAML reads the key as a truth
            entry["on"] = str(entry.pop(True) if True in entry else entry["on"])
            draws = [draw for found in entry["cards"].values() for draw in list(found)]
            if not all(isinstance(draw, dict) for draw in draws):
                raise ValueError("'cards' maps each card to a list of draws")
            if "exam" not in entry or "seed" not in entry:
                raise ValueError("a paper has 'exam', 'on', 'seed' and 'cards'")
    except (OSError, ValueError, KeyError, TypeError, AttributeError, yaml.YAMLError) as error:
        mark = getattr(error, "problem_mark", None)
        place = Place(PATH, mark.line + 1, mark.column + 1) if mark else Place(PATH)
        told = " ".join(str(getattr(error, "problem", None) or error).split())
        return [], [Problem(place, f"the ledger cannot be read: {told}")]
    return entries, []
