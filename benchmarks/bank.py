"""Banks made for measuring: as many cards, checks and draws as a benchmark asks for."""

from __future__ import annotations

from pathlib import Path

FUNCTIONS = '''\
"""References to measure with."""

import torch

from closedbook import reference


@reference(example={"input": (3, 2), "weight": (4, 2), "bias": (4,)})
class Linear(torch.autograd.Function):
    """input (n, i), weight (o, i), bias (o,) -> (n, o)."""

    @staticmethod
    def forward(input, weight, bias):
        return input.mm(weight.t()) + bias

    @staticmethod
    def setup_context(ctx, inputs, output):
        input, weight, _ = inputs
        ctx.save_for_backward(input, weight)

    @staticmethod
    def backward(ctx, grad_output):
        input, weight = ctx.saved_tensors
        return grad_output.mm(weight), grad_output.t().mm(input), grad_output.sum(0)
'''

_UNIT = """\
title: Measured
deck: Measured
outcomes:
  measure: Measure.
"""

_CARD = """\
- id: card-{number}
  kind: question
  outcome: measure
  tags: [measured]
  ask: |
    A linear layer has `input` ({n}, {i}), `weight` ({o}, {i}) and `bias` ({o},). Its backward
    receives `grad_output` ({n}, {o}). What shapes have `grad_input` and `grad_weight`?
  answer: |
    `grad_input` is ({n}, {i}) and `grad_weight` is ({o}, {i}): each has the shape of what it is
    the gradient of.
  check:
    run: Linear
    with:
      input: ({n}, {i})
      weight: ({o}, {i})
      bias: ({o},)
    expect:
      output.shape: ({n}, {o})
      grad_input.shape: ({n}, {i})
      grad_weight.shape: ({o}, {i})
"""

_CLAIMS = """\
- id: claims-{number}
  kind: question
  outcome: measure
  tags: [measured]
  ask: |
    A linear layer has `input` ({n}, {i}), `weight` ({o}, {i}) and `bias` ({o},). What do its
    gradients look like?
  check:
    run: Linear
    with:
      input: ({n}, {i})
      weight: ({o}, {i})
      bias: ({o},)
  claims:
    - say: Its output is ({n}, {o}).
      expect: {{output.shape: "({n}, {o})"}}
    - say: The gradient of `input` has the shape of `input`, ({n}, {i}).
      expect: {{grad_input.shape: "({n}, {i})"}}
    - say: That of `weight` is ({o}, {i}), and that of `bias` is ({o},).
      expect: {{grad_weight.shape: "({o}, {i})", grad_bias.shape: "({o},)"}}
    - say: {last}
      expect: {{{expect}}}
"""

_VARYING = """\
- id: varying-{number}
  kind: question
  outcome: measure
  vary:
    n: 2..{last}
    i: 2..11
    o: 12..21
  ask: |
    `input` is ({{{{ n }}}}, {{{{ i }}}}), `weight` is ({{{{ o }}}}, {{{{ i }}}}). What shape
    has `grad_weight`?
  options:
    - right: "({{{{ o }}}}, {{{{ i }}}})"
    - wrong: "({{{{ i }}}}, {{{{ o }}}})"
      because: It is stored as (out, in), so its gradient is too.
    - wrong: "({{{{ n }}}}, {{{{ i }}}}, {{{{ o }}}})"
      because: The batch is summed over.
  check:
    run: Linear
    with:
      input: {{shape: "({{{{ n }}}}, {{{{ i }}}})", fill: {fill}}}
      weight: ({{{{ o }}}}, {{{{ i }}}})
      bias: ({{{{ o }}}},)
    expect:
      grad_weight.shape: ({{{{ o }}}}, {{{{ i }}}})
"""

CARDS_A_FILE = 100


def shapes(number: int) -> tuple[int, int, int]:
    """Sizes n, i and o that no other number below 1,000,000 has: no two checks share a run."""
    return 2 + number % 10, 2 + number // 10 % 100, 2 + number // 1000


def small_shapes(number: int) -> tuple[int, int, int]:
    """Sizes that no other number below 3,000 has, small enough for gradcheck."""
    return 2 + number % 10, 2 + number // 10 % 15, 2 + number // 150


def gradchecked(number: int) -> bool:
    """Whether the last claim of a card of ``claims`` asks for gradcheck."""
    return number % 2 == 0


def make_bank(
    root: Path, *, cards: int = 0, claims: int = 0, varying: int = 0, draws: int = 1000
) -> Path:
    """A bank of ``cards`` cards with one check each, ``varying`` cards of ``draws`` draws each.

    Of ``claims`` cards each has four claims about one run; in every second one of them the last
    claim is that gradcheck passes (:func:`gradchecked`), so that about one check in eight is as
    costly as in this repository's own bank.
    """
    unit = root / "cards" / "measured"
    unit.mkdir(parents=True)
    (root / "generators").mkdir()
    (root / "generators" / "linear.py").write_text(FUNCTIONS)
    (root / "cards" / "bank.yaml").write_text("id: measured\ntitle: Measured\n")
    (unit / "unit.yaml").write_text(_UNIT)
    for start in range(0, cards, CARDS_A_FILE):
        numbers = range(start, min(start + CARDS_A_FILE, cards))
        text = "".join(
            _CARD.format(number=number, n=n, i=i, o=o)
            for number in numbers
            for n, i, o in [shapes(number)]
        )
        (unit / f"cards-{start}.yaml").write_text(text)
    for number in range(claims):
        n, i, o = small_shapes(number)
        last, expect = "Backward returns three values.", "returned: 3"
        if gradchecked(number):
            last, expect = "They pass gradcheck.", "gradcheck: passes"
        text = _CLAIMS.format(number=number, n=n, i=i, o=o, last=last, expect=expect)
        with (unit / f"claims-{number // CARDS_A_FILE}.yaml").open("a") as file:
            file.write(text)
    for number in range(varying):
        text = _VARYING.format(
            number=number, last=1 + draws // 100, fill=(number + 1) / 1000
        )  # filled with another number, no two cards share a run
        (unit / f"varying-{number}.yaml").write_text(text)
    return root
