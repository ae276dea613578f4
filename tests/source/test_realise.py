"""A card under a draw: texts filled in, listings found, every claim with its whole check."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from closedbook.model.bank import DrawnCard
from closedbook.model.claim import DEFAULT_TIMEOUT
from closedbook.model.expect import Equals, Formula
from closedbook.model.kinds import Question
from closedbook.model.value import Number, Shape
from closedbook.source.draws import space_of
from closedbook.source.realise import realise
from tests.source.banks import only_card

VARYING = """
- id: linear-grad-weight-shape
  kind: question
  outcome: derive-linear-shapes
  vary:
    n: 2..9
    i: 2..9
    o: 2..9
    arg: [weight]
  where: n != i and i != o and n != o
  ask: "`input` is ({{ n }}, {{ i }}), `weight` is ({{ o }}, {{ i }}). And `grad_weight`?"
  options:
    - right: "({{ o }}, {{ i }})"
    - wrong: "({{ i }}, {{ o }})"
      because: It is stored as (out, in){% if n > 5 %}, whatever n{% endif %}.
    - wrong: "({{ n * 2 - n }}, {{ i }})"
  check:
    run: LinearFunction
    with:
      input: ({{ n }}, {{ i }})
      weight: ({{ o }}, {{ i }})
    expect:
      grad_{{ arg }}.shape: ({{ o }}, {{ i }})
  hint: This $\\{{n}\\}$ is a set.
"""


def drawn(root: Path, text: str, **draw: Any) -> DrawnCard:
    """The only card of a bank under a draw."""
    card, bank = only_card(root, text)
    found, problems = realise(card, draw, bank.generators)
    assert not problems, "\n".join(map(str, problems))
    assert found is not None
    return found


def test_a_draw_fills_every_text_and_the_check(tmp_path: Path) -> None:
    """Texts, arguments and expectations hold the draw's values; the card itself stays as it was."""
    card = drawn(tmp_path, VARYING.replace("{{n}", "{{n}}"), n=6, i=4, o=3, arg="weight")
    content = card.content
    assert isinstance(content, Question)
    assert content.ask.startswith("`input` is (6, 4), `weight` is (3, 4).")
    assert [option.text for option in content.options] == ["(3, 4)", "(4, 3)", "(6, 4)"]
    assert content.options[1].because == "It is stored as (out, in), whatever n."
    (claim,) = card.claims
    assert (claim.role, claim.say, claim.loc) == ("option", "(3, 4)", ("options", 0))
    assert claim.check is not None
    assert claim.check.arguments == {"input": Shape((6, 4)), "weight": Shape((3, 4))}
    assert claim.check.expect == {"grad_weight.shape": Equals(Shape((3, 4)), "(3, 4)")}
    assert isinstance(card.card.content, Question)
    assert "{{ n }}" in card.card.content.ask


def test_every_text_is_found_with_its_side(tmp_path: Path) -> None:
    """``texts`` gives places and sides in the order in which they are printed."""
    card = drawn(tmp_path, VARYING.replace("{{n}", "{{n}}"), n=2, i=4, o=3, arg="weight")
    assert [(loc, side) for loc, _, side in card.content.texts()] == [
        (("ask",), "ask"),
        (("options", 0, "right"), "ask"),
        (("options", 1, "wrong"), "ask"),
        (("options", 1, "because"), "answer"),
        (("options", 2, "wrong"), "ask"),
        (("hint",), "ask"),
    ]


def test_text_without_vary_is_literal(tmp_path: Path) -> None:
    """Braces mean nothing on a card that does not vary."""
    card = drawn(
        tmp_path,
        '- id: a\n  kind: question\n  outcome: derive-linear-shapes\n  ask: "{{ n }} {% x"\n'
        "  answer: That.\n  unchecked: A definition.\n",
    )
    assert isinstance(card.content, Question)
    assert card.content.ask == "{{ n }} {% x"
    assert card.claims[0].unchecked == "A definition."
    assert card.claims[0].check is None


def test_gaps_of_a_cloze_live_beside_jinja(tmp_path: Path) -> None:
    """``{{c1::…}}`` is Anki's, what it encloses may still be filled in."""
    card = drawn(
        tmp_path,
        """
- id: a
  kind: cloze
  outcome: derive-linear-shapes
  vary: {n: 2..3}
  text: "{{c1::({{ n }}, 4)}} rows, {{c2::`{{ n * 2 }}`::how many}}; {{c1::$x_{{{ n }}}$}} }}"
  check: {run: Square, with: {input: [1]}, expect: {output.shape: "(1,)"}}
""",
        n=3,
    )
    assert card.content.text == "{{c1::(3, 4)}} rows, {{c2::`6`::how many}}; {{c1::$x_{3}$}} }}"  # type: ignore[union-attr]  # it is a cloze
    assert [claim.role for claim in card.claims] == ["card"]


DERIVATION = """
- id: linear-backward
  kind: derivation
  outcome: derive-linear-shapes
  ask: Find the gradients.
  check:
    run: LinearFunction
    with:
      input: (5, 4)
      weight: (3, 4)
    timeout: 5
    expect:
      output.shape: (5, 3)
  steps:
    - ask: Which product has the shape of `weight`?
      answer: "`grad_output.t().mm(input)`"
      expect:
        grad_weight: {formula: "grad_output.t().mm(input)"}
    - ask: And on other shapes?
      answer: The same.
      check:
        with:
          input: (2, 4)
          weight: (3, 4)
        expect:
          grad_weight.shape: (3, 4)
    - ask: And of a square?
      answer: Its shape.
      check:
        run: Square
        with: {input: [1, 2]}
        timeout: 1
        expect:
          saved: {count: 1}
    - ask: Why?
      answer: By definition.
      unchecked: A definition.
  result: All of them.
"""


def test_run_and_with_of_the_card_serve_what_is_below(tmp_path: Path) -> None:
    """Once is enough; a step's own ``with`` or ``run`` comes first; places tell where from."""
    steps = drawn(tmp_path, DERIVATION)
    first, second, third, fourth, result = steps.claims
    assert [claim.role for claim in steps.claims] == ["step"] * 4 + ["result"]
    assert first.check is not None
    assert first.check.run == "LinearFunction"
    assert first.check.arguments == {"input": Shape((5, 4)), "weight": Shape((3, 4))}
    assert first.check.expect == {"grad_weight": Formula("grad_output.t().mm(input)")}
    assert first.check.loc == ("check",)
    assert first.check.locs == {"grad_weight": ("steps", 0, "expect", "grad_weight")}
    assert first.check.timeout == 5.0
    assert second.check is not None
    assert second.check.run == "LinearFunction"
    assert second.check.arguments["input"] == Shape((2, 4))
    assert second.check.loc == ("steps", 1, "check")
    assert third.check is not None
    assert (third.check.run, third.check.timeout) == ("Square", 1.0)
    assert third.check.expect == {"saved.count": Equals(Number(1, "1"), "1")}
    assert third.check.locs["saved.count"] == ("steps", 2, "check", "expect", "saved", "count")
    assert (fourth.check, fourth.unchecked) == (None, "A definition.")
    assert result.check is not None
    assert list(result.check.expect) == ["output.shape"]
    assert result.check.loc == ("check",)
    assert steps.claims_at("steps", 2) == (third,)


TRAP = """
- id: trap-on-ctx
  kind: trap
  outcome: explain-save-for-backward
  code: {of: SquareOnCtx}
  ask: What is wrong?
  claims:
    - say: Its input stays alive.
      quote: message
      versions: ">=2.9"
      check:
        run: lifetime_of_saved
        with: {function: SquareOnCtx}
        expect:
          saved: {after_backward: alive}
  fix:
    code: {of: LinearFunction, part: backward}
    say: Saved tensors are freed.
    check:
      run: lifetime_of_saved
      with: {function: Square, value: 3}
      expect:
        saved: {after_backward: freed}
"""


def test_code_is_printed_from_the_source(tmp_path: Path) -> None:
    """The decorator of closedbook is left out; a part is dedented and without its markers."""
    trap = drawn(tmp_path, TRAP)
    code = trap.listings[("code",)]
    assert code.of == "SquareOnCtx"
    assert code.text.startswith("class SquareOnCtx(torch.autograd.Function):\n    @staticmethod\n")
    assert trap.listings[("fix", "code")].text == (
        "input, weight, bias = ctx.saved_tensors\n"
        "return grad_output.mm(weight), grad_output.t().mm(input), grad_output.sum(0)\n"
    )
    claim, fix = trap.claims
    assert (claim.quote, claim.versions) == ("message", ">=2.9")
    assert claim.check is not None
    assert claim.check.timeout == DEFAULT_TIMEOUT
    assert (fix.role, fix.say, fix.loc, fix.say_loc) == (
        "fix",
        "Saved tensors are freed.",
        ("fix",),
        ("fix", "say"),
    )


@pytest.mark.parametrize(
    ("change", "shown"),
    [
        (
            "{of: Square, lines: 1..2}",
            "class Square(torch.autograd.Function):\n    @staticmethod\n",
        ),
        (
            "{of: Square, lines: 3..4}",
            "def forward(ctx, input):\n    ctx.save_for_backward(input)\n",
        ),
        ("|\n    x = 1  # {{ n }}\n", "x = 1  # {{ n }}\n"),
    ],
)
def test_lines_of_a_definition_or_text_can_be_shown(
    change: str, shown: str, tmp_path: Path
) -> None:
    """``lines`` counts from the printed definition's first line; text is shown as it is."""
    trap = drawn(tmp_path, TRAP.replace("{of: SquareOnCtx}\n  ask", f"{change}\n  ask"))
    assert trap.listings[("code",)].text == shown


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{{ 'a' * 1000000000 }}", "numbers"),
        ("{{ '%9999999d' % n }}", "numbers"),
        ("{{ n ** n ** n ** n ** n }}", "too large"),
        ("{{ [1, 2][n] }}", "filled in"),
        ("{{ 1 // (n - 9) }}", "zero"),
        ("{{ n ~ k }}", "'k'"),
        ("{{ n.bit_length() }}", "bit_length"),
        ("{{ n['real'] }}", "filled in"),
        ("{{ range(10 ** 9) | list }}", "functions"),
        ("{% for x in [1] %}{% endfor %}", "statements"),
        ("{% set m = n %}{{ m }}", "statements"),
        ("{{ n | pprint }}", "'pprint'"),
        ("{{ n | length }}", "filled in"),
        ("{% include 'x' %}", "statements"),
        ("{{ n is string }}", "'string'"),
        ("{{ n", "Jinja"),
        ("{{ " + "(" * 3000 + "n" + ")" * 3000 + " }}", "nested too deeply"),
        ("{{ n" + " + 1" * 20000 + " }}", "nested too deeply"),
        ("{{ 'a' ~ '\\0' }}", "a control character (U+0000) cannot stand"),
        ("{% if n > 99 %}x{% endif %}", "empty"),
    ],
)
def test_what_a_text_can_calculate_is_bounded(text: str, words: str, tmp_path: Path) -> None:
    """No loops, no calls, no attributes, no large results: each is a problem at once."""
    card, bank = only_card(tmp_path, VARYING.replace("{{n}", "{{n}}"))
    assert isinstance(card.content, Question)
    content = card.content.model_copy(update={"ask": text})
    broken = type(card)(card.unit, content, card.origin, card.folder)
    found, problems = realise(broken, {"n": 9, "i": 4, "o": 3, "arg": "weight"}, bank.generators)
    assert found is None
    assert all(problem.place.line == 11 for problem in problems)
    assert any(words in problem.message for problem in problems), problems


def test_many_draws_are_realised(tmp_path: Path) -> None:
    """Every draw of the space comes out, each with its own numbers."""
    card, bank = only_card(tmp_path, VARYING.replace("{{n}", "{{n}}"))
    space, _ = space_of(card)
    assert space is not None
    for draw in space.walk():
        found, problems = realise(card, draw, bank.generators)
        assert problems == []
        assert found is not None
        assert found.claims[0].say == f"({draw['o']}, {draw['i']})"
