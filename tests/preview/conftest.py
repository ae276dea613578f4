"""A small bank to look at."""

from __future__ import annotations

from pathlib import Path

import pytest

CARDS = """\
- id: shapes
  kind: question
  outcome: o
  ask: "What is $\\\\frac{a}{b}$ and `f(x)`?"
  answer: "It is $\\\\sqrt{x}$, ![a triangle](fig.svg)"
  unchecked: a definition
- id: gaps
  kind: cloze
  outcome: o
  text: "{{c1::One::hint}} and `f({{c2::x}})` and $y^{ {{c3::n}} }$."
  claims: [{say: So it is., unchecked: a definition}]
- id: typed
  kind: question
  outcome: o
  ask: Type it.
  answer: it
  typed: true
  hint: It is short.
  unchecked: a definition
- id: drawn
  kind: question
  outcome: o
  vary: {n: 2..9}
  ask: "What follows {{ n }}?"
  answer: The next number.
  unchecked: a definition
- id: gone
  kind: question
  outcome: o
  ask: Old.
  answer: Old.
  unchecked: a definition
  retired: true
"""


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A bank whose claims are all unchecked: verifying it runs nothing."""
    unit = tmp_path / "cards" / "unit"
    unit.mkdir(parents=True)
    (tmp_path / "cards/bank.yaml").write_text("id: small\ntitle: A small bank\n")
    (unit / "unit.yaml").write_text("title: Unit\ndeck: D\noutcomes:\n  o: An outcome.\n")
    (unit / "cards.yaml").write_text(CARDS)
    (unit / "fig.svg").write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9v9z"/></svg>'
    )
    return tmp_path
