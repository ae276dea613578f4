"""Which cards and numbers stand where: fair to each variant, and the same for the same seed."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from closedbook.paper.balance import balance
from closedbook.paper.plan import Plan, Used, make_plan
from closedbook.verify.verified import VerifiedBank
from tests.paper.banks import read_bank, write_bank

CHOICE = """\
- id: choice-{at}
  kind: question
  outcome: {outcome}
  difficulty: {difficulty}
  vary: {{n: 1..{draws}}}
  ask: "Card {at}: what is {{{{ n }}}}?"
  options:
    - {{right: "{{{{ n }}}}"}}
    - {{wrong: "{{{{ n + 100 }}}}"}}
    - {{wrong: "{{{{ n + 200 }}}}"}}
    - {{wrong: None of these, last: true}}
  check: &c
    run: Right
    with: {{x: "(2,)"}}
    expect: {{grad_x.shape: "(2,)"}}
"""
PLAIN = """\
- id: plain-{at}
  kind: question
  outcome: {outcome}
  difficulty: {difficulty}
  ask: "Plain {at}?"
  answer: Yes.
  check:
    run: Right
    with: {{x: "(2,)"}}
    expect: {{grad_x.shape: "(2,)"}}
"""
REFERENCE = """\
import torch
from closedbook import reference

@reference(example={"x": (2,)})
class Right(torch.autograd.Function):
    @staticmethod
    def forward(x): return x * 2
    @staticmethod
    def setup_context(ctx, inputs, output): pass
    @staticmethod
    def backward(ctx, grad_output): return grad_output * 2
"""


def bank(root: Path, cards: str, blueprint: str) -> VerifiedBank:
    """A bank of these cards and one blueprint, ``exams/exam.yaml``."""
    cards = cards.replace("&c", "")
    files = {
        "cards/unit/cards.yaml": cards,
        "generators/functions/right.py": REFERENCE,
        "exams/exam.yaml": blueprint,
    }
    return read_bank(write_bank(root, files))


def planned(verified: VerifiedBank, **wishes: object) -> Plan:
    """The plan of the bank's blueprint; fails where there is none."""
    plan, problems = make_plan(verified, verified.bank.blueprints[0], **wishes)  # type: ignore[arg-type] # the tests' own words
    assert plan is not None, "\n".join(map(str, problems))
    return plan


def refused(verified: VerifiedBank) -> str:
    """What is said of a blueprint that cannot be had."""
    plan, problems = make_plan(verified, verified.bank.blueprints[0])
    assert plan is None
    return "\n".join(map(str, problems))


def many(kind: str, count: int, **fields: object) -> str:
    """``count`` cards of one template."""
    base = {"outcome": "one", "difficulty": 2, "draws": 9}
    return "".join(kind.format(at=at, **{**base, **fields}) for at in range(count))


BLUEPRINT = """\
title: Exam
minutes: 30
variants: {variants}
seed: {seed}
same_cards: {same}
sections:
  - {{title: First, pick: {first}, from: {{outcome: one}}, points: 3}}
  - {{title: Second, pick: {second}, from: {{outcome: [one, two]}}, points: 2}}
"""


@st.composite
def banks_and_blueprints(draw: st.DrawFn) -> tuple[str, str, int]:
    """Cards of two outcomes, some that vary, and a blueprint that they can fill."""
    cards = [
        (PLAIN if draw(st.booleans()) else CHOICE).format(
            at=at,
            outcome="one" if at < 4 else "two",
            difficulty=draw(st.integers(1, 3)),
            draws=draw(st.integers(1, 6)),
        )
        for at in range(draw(st.integers(6, 10)))
    ]
    variants = draw(st.integers(1, 6))
    text = BLUEPRINT.format(
        variants=variants,
        seed=draw(st.integers(0, 10**6)),
        same=draw(st.sampled_from(["true", "false"])),
        first=draw(st.integers(1, 3)),
        second=draw(st.integers(1, 3)),
    )
    return "".join(cards), text, variants


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=banks_and_blueprints())
def test_variants_are_fair(made: tuple[str, str, int]) -> None:
    """Points and difficulty a section are equal, nothing stands twice, options are permutations."""
    cards, text, variants = made
    with tempfile.TemporaryDirectory() as folder:
        verified = bank(Path(folder), cards, text)
        plan = planned(verified)
    assert len(plan.variants) == variants
    shown = balance(verified, plan)
    for section, wished in zip(shown["sections"], plan.blueprint.info.sections, strict=True):
        assert Fraction(section["points"]) == wished.points * (wished.pick or 0)
        assert isinstance(section["difficulty"], int), "equal in all variants"
    content = {card.card.id: card for card in verified.cards}
    for slots in plan.variants:
        names = [slot.card for slot in slots]
        assert len(names) == len(set(names))
        for slot in slots:
            options = getattr(content[slot.card].card.content, "options", ())
            assert sorted(slot.options) == list(range(len(options)))
            if options:
                assert options[slot.options[-1]].last
    if plan.blueprint.info.same_cards:
        assert len({frozenset(slot.card for slot in slots) for slots in plan.variants}) == 1
    _no_needless_repeats(verified, plan)


def _no_needless_repeats(verified: VerifiedBank, plan: Plan) -> None:
    """A card's numbers come again only when all of them have been used."""
    draws = {card.card.id: len(card.draws) for card in verified.cards}
    used = Counter((slot.card, slot.draw) for slots in plan.variants for slot in slots)
    cards = Counter(slot.card for slots in plan.variants for slot in slots)
    for (card, _), times in used.items():
        assert times == 1 or cards[card] > draws[card]


def test_variants_share_nothing_where_the_space_allows(tmp_path: Path) -> None:
    """Six variants of three cards out of nine that do not vary repeat as little as they can."""
    text = BLUEPRINT.format(variants=3, seed=1, same="false", first=2, second=1)
    verified = bank(tmp_path, many(PLAIN, 9), text)
    plan = planned(verified)
    assert balance(verified, plan)["shared"] == []


def test_the_same_cards_carry_other_numbers(tmp_path: Path) -> None:
    """With the same cards on every variant each variant has numbers of its own."""
    text = BLUEPRINT.format(variants=9, seed=3, same="true", first=2, second=1)
    plan = planned(bank(tmp_path, many(CHOICE, 5), text))
    for place in {slot.card for slot in plan.variants[0]}:
        draws = [slot.draw for slots in plan.variants for slot in slots if slot.card == place]
        assert sorted(draws) == list(range(9))


def test_right_options_stand_everywhere(tmp_path: Path) -> None:
    """Over 600 variants the right option is at each free place about equally often."""
    text = BLUEPRINT.format(variants=600, seed=5, same="true", first=1, second=1)
    plan = planned(bank(tmp_path, many(CHOICE, 2), text))
    places = Counter(slot.options.index(0) for slots in plan.variants for slot in slots)
    assert all(330 < places[at] < 470 for at in range(3)), places
    assert places[3] == 0


@pytest.mark.parametrize("mode", ["none", "questions", "options", "both"])
def test_shuffle_moves_only_what_it_names(tmp_path: Path, mode: str) -> None:
    """``questions`` moves questions, ``options`` moves options, ``none`` neither."""
    text = BLUEPRINT.format(variants=12, seed=5, same="true", first=3, second=1)
    plan = planned(bank(tmp_path, many(CHOICE, 5), text + f"shuffle: {mode}\n"))
    orders = {tuple(slot.card for slot in slots) for slots in plan.variants}
    options = {slot.options for slots in plan.variants for slot in slots}
    assert (len(orders) > 1) == (mode in ("questions", "both"))
    assert (options != {(0, 1, 2, 3)}) == (mode in ("options", "both"))


def test_another_seed_is_another_paper_and_the_same_seed_the_same(tmp_path: Path) -> None:
    """The plan hangs on the seed alone."""
    text = BLUEPRINT.format(variants=4, seed=5, same="false", first=2, second=2)
    verified = bank(tmp_path, many(CHOICE, 8), text)
    assert planned(verified).variants == planned(verified).variants
    assert planned(verified).variants != planned(verified, seed=6).variants


def test_recent_papers_are_avoided_and_a_small_pool_says_so(tmp_path: Path) -> None:
    """Cards of the ledger are drawn last; where they must be, a warning counts them."""
    text = BLUEPRINT.format(variants=1, seed=5, same="true", first=2, second=1)
    verified = bank(tmp_path, many(CHOICE, 4), text)
    used = Used({"choice-0": [{"n": 1}], "choice-1": [{"n": 2}]})
    plan, problems = make_plan(verified, verified.bank.blueprints[0], used=used)
    assert plan is not None
    assert {"choice-2", "choice-3"} < {slot.card for slot in plan.variants[0]}
    assert [problem.severity for problem in problems] == ["warning"]
    assert "its pool holds 4, and 2 of them stood on recent papers" in problems[0].message
    again = next(slot for slot in plan.variants[0] if slot.card in used)
    draws = next(card.draws for card in verified.cards if card.card.id == again.card)
    assert dict(draws[again.draw]) not in used.draws[again.card]


def test_a_pool_takes_what_fits_in_every_way(tmp_path: Path) -> None:
    """Of outcomes and kinds one is enough, of tags all are needed, and both ends fit."""
    tagged = {
        "both": "[fast, new]",
        "one": "[fast]",
        "more": "[new, fast, odd]",
        "none": "[]",
        "hard": "[fast, new]",
        "other": "[fast, new]",
    }
    cards = "".join(
        PLAIN.format(
            at=name,
            outcome="two" if name == "other" else "one",
            difficulty=5 if name == "hard" else 2,
        )
        + f"  tags: {tags}\n"
        for name, tags in tagged.items()
    )
    pool = "{outcome: one, kind: [question, trap], tags: [fast, new], difficulty: 2..4}"
    section = f"{{title: T, pick: 2, points: 3, from: {pool}}}"
    text = f"title: E\nminutes: 3\nsections:\n  - {section}\n"
    verified = bank(tmp_path, cards, text)
    assert {slot.card for slot in planned(verified).variants[0]} == {"plain-both", "plain-more"}
    more = bank(tmp_path, cards, text.replace("pick: 2", "pick: 3"))
    assert "section 'T' picks 3 of 2 cards" in refused(more)


def test_a_pool_that_is_too_small_names_the_cards_that_stand_elsewhere(tmp_path: Path) -> None:
    """A card that is fixed in one section is not drawn in another, and the message says so."""
    fixed = "{title: F, cards: [plain-0, plain-1], points: 3}"
    drawn = "{title: T, pick: 1, from: {outcome: one}, points: 3}"
    text = f"title: E\nminutes: 3\nsections:\n  - {fixed}\n  - {drawn}\n"
    told = refused(bank(tmp_path, many(PLAIN, 2), text))
    assert "section 'T' picks 1 of 0 cards" in told
    assert "'plain-0' fits, but stands in section 'F'" in told
    assert "'plain-1' fits, but stands in section 'F'" in told


def test_a_card_may_have_points_of_its_own(tmp_path: Path) -> None:
    """What `points_of` gives a card counts in its section; the others have the section's."""
    section = "{title: T, cards: [plain-0, plain-1], points: 1, points_of: {plain-1: 5/2}}"
    text = f"title: E\nminutes: 3\nsections:\n  - {section}\n"
    verified = bank(tmp_path, many(PLAIN, 2), text)
    plan = planned(verified)
    points = {slot.card: slot.points for slot in plan.variants[0]}
    assert points == {"plain-0": Fraction(1), "plain-1": Fraction(5, 2)}
    assert balance(verified, plan)["sections"][0]["points"] == "3½"


@pytest.mark.parametrize(
    ("section", "says"),
    [
        (
            "{title: T, pick: 3, from: {outcome: one}, points: 3}",
            r"exams/exam.yaml:4:\d+: section 'T' picks 3 of 2 cards",
        ),
        (
            "{title: T, pick: 1, from: {outcome: one, difficulty: 5}, points: 3}",
            r"section 'T' is empty: no card fits its 'from'",
        ),
        ("{title: T, cards: [plain-0, plain-0], points: 3}", r"stands twice on this paper"),
        (
            "{title: T, cards: [steps], points: 1}",
            r"card 'steps' cannot be worth 1 point: 1 cannot be shared over 3 parts",
        ),
        (
            "{title: T, cards: [plain-0], points: 1, points_of: {plain-1: 2}}",
            r"section 'T' has no card 'plain-1' to give these points to",
        ),
        (
            "{title: T, cards: [hand-in], points: 6}",
            r"card 'hand-in' cannot be worth 6 points: its contract is worth 3",
        ),
    ],
)
def test_wishes_that_cannot_be_had_are_errors_with_numbers(
    tmp_path: Path, section: str, says: str
) -> None:
    """Each is told at its place in the blueprint, with what there is instead."""
    extra = PLAIN.format(at=7, outcome="two", difficulty=1).replace("plain-7", "gone") + (
        "  retired: true\n"
        "- id: steps\n  kind: derivation\n  outcome: two\n  ask: Derive.\n"
        "  check: {run: Right, with: {x: '(2,)'}, expect: {grad_x.shape: '(2,)'}}\n"
        "  steps:\n"
        + "    - {ask: a, answer: b, expect: {grad_x.shape: '(2,)'}}\n"
        * 3
        + "- id: hand-in\n  kind: task\n  outcome: two\n  ask: Write Right.\n"
        "  file: right.py\n  reference: Right\n"
        "  contract: {forward: {points: 1}, gradients: {points: 2}}\n"
    )
    text = f"title: E\nminutes: 3\nsections:\n  - {section}\n"
    told = refused(bank(tmp_path, many(PLAIN, 2) + extra, text))
    assert re.search(says, told), told


def test_sections_that_fight_for_cards_are_told_together(tmp_path: Path) -> None:
    """Two pools that are large enough alone and too small together are both named."""
    text = BLUEPRINT.format(variants=1, seed=1, same="true", first=2, second=2)
    told = refused(bank(tmp_path, many(PLAIN, 3), text))
    assert "sections 'First' and 'Second' pick 4 cards together, and their pools hold 3" in told


def test_picking_all_cards_of_a_pool_works(tmp_path: Path) -> None:
    """Two of two is no error."""
    text = BLUEPRINT.format(variants=2, seed=1, same="true", first=2, second=1)
    plan = planned(bank(tmp_path, many(PLAIN, 3), text))
    assert {slot.card for slot in plan.variants[0]} == {"plain-0", "plain-1", "plain-2"}


def test_numbers_that_all_stood_on_recent_papers_come_again(tmp_path: Path) -> None:
    """A card whose draws are all used up is drawn with old ones, and each variant has its own."""
    text = BLUEPRINT.format(variants=3, seed=5, same="true", first=1, second=1)
    verified = bank(tmp_path, many(CHOICE, 2, draws=3), text)
    every = [{"n": 1}, {"n": 2}, {"n": 3}]
    plan = planned(verified, used=Used({"choice-0": every, "choice-1": every[:2]}))
    for card in ("choice-0", "choice-1"):
        draws = [slot.draw for slots in plan.variants for slot in slots if slot.card == card]
        assert sorted(draws) == [0, 1, 2]


def test_numbers_are_shared_only_where_the_pool_is_too_small(tmp_path: Path) -> None:
    """Where one level has numbers enough for all variants, another that has not is left alone."""
    text = BLUEPRINT.format(variants=4, seed=5, same="false", first=1, second=1)
    cards = many(CHOICE, 4) + PLAIN.format(at=7, outcome="one", difficulty=1)
    verified = bank(tmp_path, cards, text)
    for seed in range(12):
        plan = planned(verified, seed=seed)
        drawn = Counter((slot.card, slot.draw) for slots in plan.variants for slot in slots)
        assert set(drawn.values()) == {1}, f"seed {seed}"
