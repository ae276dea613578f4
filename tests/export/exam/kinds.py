"""A small bank with every kind of card, for the tests of papers and of what platforms take."""

from __future__ import annotations

from pathlib import Path

from closedbook.verify.verified import VerifiedBank
from tests.paper.banks import read_bank, write_bank

FUNCTIONS = '''\
import torch
from closedbook import flawed, reference


@reference(example={"x": (2,)})
class Square(torch.autograd.Function):
    """Saved through the context."""

    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


@flawed(of=Square, caught_by="gradient_of_square")
class SquareWrong(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * x

    @staticmethod
    def setup_context(ctx, inputs, output):
        (ctx.x,) = inputs

    @staticmethod
    def backward(ctx, grad_output):
        return 3 * ctx.x * grad_output
'''
EXPERIMENTS = """\
import torch
from closedbook import experiment


@experiment
def gradient_of_square(function: type[torch.autograd.Function]) -> dict[str, object]:
    x = torch.tensor([2.0], requires_grad=True)
    function.apply(x).sum().backward()
    return {"grad": float(x.grad)}
"""
CARDS = r"""
- id: short
  kind: question
  outcome: one
  ask: What shape has the gradient of $x^2$ for an `x` of shape (2,)?
  answer: It is (2,), the shape of `x`.
  why: A gradient has the shape of what it is the gradient of.
  check: &square
    run: Square
    with:
      x: (2,)
    expect:
      grad_x.shape: (2,)
- id: choice
  kind: question
  outcome: one
  vary: {n: 2..9}
  ask: "`x` is ({{ n }},). What shape has its gradient?"
  options:
    - right: "({{ n }},)"
    - wrong: "({{ n + 1 }},)"
      because: Nothing is appended.
    - wrong: "({{ n }}, 1)"
      because: Nothing is unsqueezed.
    - wrong: None of these.
      because: One of them is.
      last: true
  check:
    run: Square
    with:
      x: ({{ n }},)
    expect:
      grad_x.shape: ({{ n }},)
- id: both
  kind: question
  outcome: two
  ask: Which hold of `Square`?
  options:
    - right: It saves its input.
    - right: It passes gradcheck.
    - wrong: It writes in place.
      because: It multiplies into a new tensor.
  check:
    run: Square
    with:
      x: (2,)
    expect:
      gradcheck: passes
- id: gaps
  kind: cloze
  outcome: two
  text: |
    The {{c1::context}} keeps what {{c2::`backward`::a method}} needs: `ctx.{{c3::saved_tensors}}`,
    and $\partial x^2 = {{c4::2x}}$.

    ```python
    ctx.{{c5::save_for_backward}}(x)
    ```
  claims:
    - say: It is freed with the graph.
      check:
        run: Square
        with:
          x: (2,)
        expect:
          saved.count: 1
- id: steps
  kind: derivation
  outcome: one
  ask: Derive the gradient of $y = x^2$.
  check:
    run: Square
    with:
      x: (2,)
  steps:
    - ask: What is $\partial y / \partial x$?
      answer: It is $2x$.
      why: The power rule.
      expect:
        grad_x.shape: (2,)
    - ask: And the product with `grad_output`?
      answer: "`2 * x * grad_output`"
      expect:
        grad_x: {formula: "2 * x * grad_output"}
  result:
    say: The gradient is `2 * x * grad_output`.
    expect:
      grad_x: {formula: "2 * x * grad_output"}
- id: wrong-square
  kind: trap
  outcome: two
  code: {of: SquareWrong}
  ask: What is wrong with it?
  claims:
    - say: The gradient at 2 comes out as 6.
      check:
        run: gradient_of_square
        with: {function: SquareWrong}
        expect:
          grad: 6
  why: The rule for powers gives a factor of two.
  fix:
    code: {of: Square}
    check:
      run: gradient_of_square
      with: {function: Square}
      expect:
        grad: 4
- id: write-square
  kind: task
  outcome: two
  ask: |
    Write `Square`, a `torch.autograd.Function` of one tensor `x` that gives its square.
  file: square.py
  reference: Square
  contract:
    forward: 2
    gradients: {points: 4, say: Its gradient is right.}
    saved-tensors: 2
  broken:
    ask: Return zeros for the gradient, and quote what gradcheck says.
    fails_at: {output: 0, input: 0}
    points: 2
"""
BLUEPRINT = """\
title: Every kind
minutes: 45
variants: 2
seed: 11
rules: |
  Closed book.
sections:
  - title: Short
    pick: 3
    from: {kind: question}
    points: 2
  - title: Longer
    intro: Show your *working*.
    cards: [gaps, steps, wrong-square]
    points: 5
    minutes: 20
  - title: From a blank file
    cards: [write-square]
    points: 10
"""


def every_kind(
    root: Path, cards: str = "", blueprint: str = BLUEPRINT, **more: str
) -> VerifiedBank:
    """The bank, with more cards and files, by their path."""
    files = {
        "cards/unit/cards.yaml": (CARDS + cards).replace("&square", ""),
        "generators/functions/square.py": FUNCTIONS,
        "generators/experiments/gradients.py": EXPERIMENTS,
        "exams/all.yaml": blueprint,
        **more,
    }
    return read_bank(write_bank(root, files))
