"""Reading 10,000 cards against PyYAML's own C loader on the same text.

Prints both times and their ratio. The reading side finds the files, parses, places, validates
and makes out every claim and check; the other side is ``yaml.load(text, CBaseLoader)`` alone.
"""

from __future__ import annotations

import gc
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from closedbook.source import load_bank

CARDS = 10_000
FILES = 20
ROUNDS = 5

BANK = "id: many-cards\ntitle: Many cards\nlanguage: en\n"
UNIT = """title: Linear layers
deck: Many::Linear layers
outcomes:
  derive-linear-shapes: Derive the shapes of a linear layer's gradients on paper.
resources:
  extending-autograd:
    title: Extending PyTorch, custom Functions
"""
GENERATOR = '''import torch

from closedbook import reference


@reference(example={"input": (5, 4), "weight": (3, 4)})
class LinearFunction(torch.autograd.Function):
    """A linear layer."""

    @staticmethod
    def forward(input, weight, bias=None):
        return input.mm(weight.t())

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad_output):
        return None, None, None
'''


def card(number: int) -> str:
    """One card of five kinds in turn, no two of them alike."""
    n, i, o = 2 + number % 7, 3 + number % 11, 2 + number % 13
    head = f"""- id: linear-shapes-{number}
  kind: {{kind}}
  outcome: derive-linear-shapes
  difficulty: {1 + number % 5}
  tags: [linear, shapes]
"""
    check = f"""  check:
    run: LinearFunction
    with:
      input: ({n}, {i})
      weight: ({o}, {i})
    expect:
      output.shape: ({n}, {o})
      grad_input.shape: ({n}, {i})
      grad_weight.shape: ({o}, {i})
  source: extending-autograd
"""
    ask = f"""  ask: |
    A linear layer computes `input.mm(weight.t())` with `input` ({n}, {i}) and `weight` ({o}, {i}).
    Its backward receives `grad_output` ({n}, {o}). What are the shapes of **both** gradients?
"""
    if number % 3 == 0:
        answer = f"""  answer: |
    `grad_input` is ({n}, {i}) and `grad_weight` is ({o}, {i}): each has the shape of what it is
    the gradient of.
"""
        return head.format(kind="question") + ask + answer + check
    if number % 3 == 1:
        options = f"""  options:
    - right: "`grad_input` ({n}, {i}), `grad_weight` ({o}, {i})"
    - wrong: "`grad_input` ({n}, {o}), `grad_weight` ({o}, {i})"
      because: That is the shape of the output.
    - wrong: "`grad_input` ({n}, {i}), `grad_weight` ({i}, {o})"
      because: It is stored as (out, in), so its gradient is too.
"""
        return head.format(kind="question") + ask + options + check
    steps = f"""  steps:
    - ask: Which product of two tensors at hand has the shape of `weight`?
      answer: "`grad_output.t().mm(input)`: ({o}, {n}) by ({n}, {i}) gives ({o}, {i})."
      expect:
        grad_output.t().shape: ({o}, {n})
        grad_weight: {{formula: "grad_output.t().mm(input)"}}
    - ask: And that of `input`?
      answer: "`grad_output.mm(weight)`: ({n}, {o}) by ({o}, {i}) gives ({n}, {i})."
      expect:
        grad_input: {{formula: "grad_output.mm(weight)"}}
"""
    return head.format(kind="derivation") + ask + steps + check


def write_bank(root: Path) -> list[str]:
    """A bank of cards in ``root``; the texts of its card files."""
    unit = root / "cards" / "linear-layers"
    unit.mkdir(parents=True)
    (root / "generators").mkdir()
    (root / "generators" / "linear.py").write_text(GENERATOR)
    (root / "cards" / "bank.yaml").write_text(BANK)
    (unit / "unit.yaml").write_text(UNIT)
    share = CARDS // FILES
    texts = []
    for file in range(FILES):
        texts.append("\n".join(card(n) for n in range(file * share, (file + 1) * share)))
        (unit / f"part-{file:02}.yaml").write_text(texts[-1])
    return texts


def seconds(work: Callable[[], object]) -> float:
    """How long something takes, from a clean heap."""
    gc.collect()
    start = time.perf_counter()
    kept = work()
    elapsed = time.perf_counter() - start
    del kept
    return elapsed


def main() -> None:
    """Measure both in turn, several times, and print the best of each."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        texts = write_bank(root)
        bank, problems = load_bank(root)
        assert bank is not None
        assert len(bank.cards) == CARDS, len(bank.cards)
        assert not problems, problems[:3]
        del bank
        ours, theirs = [], []
        for _ in range(ROUNDS):
            ours.append(seconds(lambda: load_bank(root)))
            theirs.append(
                seconds(lambda: [yaml.load(t, yaml.CBaseLoader) for t in texts])  # noqa: S506  (the loader that makes text alone)
            )
    size = sum(map(len, texts)) / 1e6
    print(f"{CARDS} cards, {size:.1f} MB in {FILES} files, best of {ROUNDS}")
    print(f"  load_bank                    {min(ours):6.2f} s")
    print(f"  yaml.load(…, CBaseLoader)    {min(theirs):6.2f} s")
    print(f"  ratio                        {min(ours) / min(theirs):6.2f}  (bound 1.5)")


if __name__ == "__main__":
    main()
