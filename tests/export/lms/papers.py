"""A bank for the tests of other formats, and what a format writes of it."""

from __future__ import annotations

import re
from pathlib import Path

from closedbook.export.lms import write_lms
from closedbook.paper.plan import Plan, make_plan
from closedbook.verify.verified import VerifiedBank
from tests.export.exam.kinds import every_kind

NUMBERS = """
- id: how-much
  kind: question
  outcome: two
  ask: What is the gradient of `Square` at 2?
  answer: "4"
  check:
    run: gradient_of_square
    with: {function: Square}
    expect:
      grad: {value: 4.0, atol: 0.01, rtol: 0}
- id: which-call
  kind: question
  outcome: two
  ask: "Which method keeps tensors? <b>&amp;</b> ]]> {=x} \\\\(y\\\\)"
  typed: true
  answer: "`ctx.save_for_backward*`"
  unchecked: the name of a method
- id: words
  kind: cloze
  outcome: two
  text: "It {{c1::saves::a verb}} with {{c2::`a~b}#c/d`}},
    {1:SHORTANSWER:=x} $$ \\\\\\\\(y\\\\\\\\)."
  claims:
    - say: It saves one tensor.
      check:
        run: Square
        with:
          x: (2,)
        expect:
          saved.count: 1
- id: drawn
  kind: question
  outcome: one
  ask: "See ![a small square](square.svg)."
  answer: Seen.
  unchecked: a picture
"""
SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>
"""
MORE = """\
title: Every <kind> & "more"
minutes: 45
variants: 2
seed: 11
sections:
  - title: All
    cards: [short, choice, both, gaps, steps, wrong-square, how-much, which-call, words, drawn]
    points: 4
  - title: File
    cards: [write-square]
    points: 10
"""

HOSTILE = [
    *("a/b", '"x"', "~x", r"a\b", "x\\", "{x}", "}", "#x", "2*x", "x**2", r"2\*x", "a<b", "a&b"),
    *("&lt;", "&#35;", "=x", "%50%x", "it's", "x;#y", "a~b#c}d{e/f", "→ ü", "a  b", "~%50%y"),
]
"""Answers with the signs that platforms read as their own."""
NUMBER_GAPS = """
- id: gaps-of
  kind: cloze
  outcome: one
  text: It is {{c1::4.0}} at {{c2::2}}, within {{c3::`1e-6`}}.
  claims:
    - say: It is so.
      check:
        run: gradient_of_square
        with: {function: Square}
        expect: {grad: {value: 4.0, atol: 0.01, rtol: 0}}
"""
ODD = """\
title: Odd
minutes: 45
sections:
  - title: All
    cards: [{cards}]
    points: {points}
"""


def odd(
    root: Path, cards: str, points: str = "4", blueprint: str = ODD, **more: str
) -> tuple[VerifiedBank, Plan]:
    """A bank with these cards, and the plan of a paper that asks nothing else."""
    names = ", ".join(re.findall(r"^- {?id: ([\w-]+)", cards, re.MULTILINE))
    text = blueprint.format(cards=names, points=points)
    bank = every_kind(root, cards, text, **more)
    plan, problems = make_plan(bank, bank.bank.blueprints[0])
    assert plan is not None, "\n".join(map(str, problems))
    return bank, plan


def files(bank: VerifiedBank, plan: Plan, folder: Path, form: str) -> dict[str, bytes]:
    """What the format writes."""
    found, problems = write_lms(bank, plan, folder / form, form)
    assert found, "\n".join(map(str, problems))
    return {path.name: path.read_bytes() for path in found}
