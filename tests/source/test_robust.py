"""Whatever the files hold, reading ends in values: a bank and problems, never in an exception."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from closedbook.model.bank import Bank
from closedbook.model.blueprint import BlueprintInfo, Pool, Section
from closedbook.model.kinds import KINDS
from closedbook.model.unit import BankInfo, UnitInfo
from closedbook.problem import Problem
from closedbook.source import load_bank
from closedbook.source.fields import names_of
from closedbook.source.places import SourceFile
from closedbook.source.quick import quick_data
from closedbook.source.read import read_list
from closedbook.source.yaml import compose, to_plain
from tests.source.banks import bank_with

QUICK = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])

FIELDS = {name for kind in KINDS.values() for name in names_of(kind)}
FIELDS |= {"say", "run", "with", "expect", "of", "lines", "right", "wrong", "because", "points"}
FIELDS |= {"raises", "warns", "gradcheck", "formula", "value", "contains", "fails_at", "shape"}
WORDS = st.sampled_from(sorted(FIELDS))
TEXTS = """
LinearFunction derive-linear-shapes (5,4) (5 None true 1e-6 2..9 {{n}} {{c1::x}} {%if(n)%} {{n**9}}
a-b n!=1 () -1 x.py question 1e999999999 1/0 nan << passes >=2 [ {{{n}}}
"""
SCALARS = st.one_of(
    st.sampled_from([*TEXTS.split(), "", "9" * 400]), st.text(max_size=8), st.integers().map(str)
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS | SCALARS, inner, max_size=5),
    max_leaves=12,
)
KIND = st.sampled_from(sorted(KINDS))


def load(data: str | bytes) -> tuple[Bank, list[Problem]]:
    """Load a bank whose card file is ``data``, and print its problems."""
    with tempfile.TemporaryDirectory() as folder:
        bank, problems = bank_with(Path(folder), data)
    for problem in problems:
        assert str(problem)
        assert problem.place.line >= 0
    return bank, problems


@given(st.binary(min_size=1, max_size=300))
@QUICK
def test_any_bytes_can_be_read(data: bytes) -> None:
    """A card file of arbitrary bytes gives problems, and no exception."""
    load(data)


@given(
    st.text(st.sampled_from("- :|>{}[]()\"'`@%&*!#,?\n\t\\ab1é\u2028\x85"), min_size=1, max_size=60)
)
@example("- a: &a [*a]\n")
@example("? {{{\n: x")
@example('- "\\ud800"\n')
@QUICK
def test_any_text_of_yamls_own_characters_can_be_read(text: str) -> None:
    """The characters that mean something to YAML, in any order, give problems at most."""
    load(text)


def _card(kind: str, fields: dict[str, Any]) -> dict[str, Any]:
    required = {
        name: "x"
        for name, field in KINDS[kind].model_fields.items()
        if field.is_required() and name not in ("kind", "outcome")
    }
    base = {**required, "id": "a-card", "outcome": "derive-linear-shapes", "kind": kind}
    return {**base, "steps": [], "claims": [], "fix": {}, **fields}


@given(
    st.lists(
        st.builds(_card, KIND, st.dictionaries(WORDS, DATA, max_size=8)), min_size=1, max_size=3
    )
)
@QUICK
def test_any_card_can_be_read(cards: list[dict[str, Any]]) -> None:
    """Cards of arbitrary fields and values give problems, each of which can be printed."""
    load(yaml.dump(cards, allow_unicode=True, sort_keys=False))


CHECKS = st.fixed_dictionaries(
    {
        "expect": st.dictionaries(
            WORDS | st.sampled_from(["output.shape", "grad_input"]), DATA, max_size=6
        )
    },
    optional={
        "run": st.sampled_from(["LinearFunction", "lifetime_of_saved", "Square"]),
        "with": st.dictionaries(st.sampled_from(["input", "weight", "function"]), DATA, max_size=4),
    },
)
VARYING = st.fixed_dictionaries(
    {"ask": SCALARS, "answer": SCALARS, "check": CHECKS},
    optional={
        "vary": st.dictionaries(
            st.sampled_from(["n", "i"]), SCALARS | st.lists(SCALARS, max_size=3)
        ),
        "where": st.text(st.sampled_from("ni +-*/%<>=!()[]and or not in 0123"), max_size=15),
    },
)


@given(VARYING)
@QUICK
def test_any_check_of_any_draw_can_be_read(fields: dict[str, Any]) -> None:
    """Arbitrary arguments, expectations, draws and conditions give problems at most."""
    card = {"id": "a-card", "outcome": "derive-linear-shapes", "kind": "question", **fields}
    load(yaml.dump([card], allow_unicode=True, sort_keys=False))


OTHER = sorted(
    {
        name
        for model in (BankInfo, UnitInfo, BlueprintInfo, Section, Pool)
        for name in names_of(model)
    }
)


@given(
    st.sampled_from(["cards/bank.yaml", "cards/linear/unit.yaml", "exams/final.yaml"]),
    st.dictionaries(st.sampled_from(OTHER), DATA | st.lists(st.dictionaries(WORDS, DATA))),
)
@QUICK
def test_any_other_file_can_be_read(path: str, data: dict[str, Any]) -> None:
    """A bank's, a unit's and an exam's own file, too."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        bank_with(root)
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(yaml.dump(data, allow_unicode=True))
        _, problems = load_bank(root)
    assert all(str(problem) for problem in problems)


@given(st.lists(DATA, min_size=1, max_size=3), st.booleans())
@QUICK
def test_the_quick_way_and_the_careful_way_read_the_same(data: list[Any], flow: bool) -> None:
    """Where the quick way takes a text, it reads what the careful way and PyYAML read."""
    text = yaml.dump(data, allow_unicode=True, sort_keys=False, default_flow_style=flow)
    plain = yaml.load(text, yaml.CBaseLoader)  # noqa: S506  (the loader that makes text alone)
    quick = quick_data(text)
    assert quick in (None, plain)
    reading = read_list(SourceFile("x.yaml", text))
    if not reading.problems:
        assert [item for item, _ in reading.items] == plain
    composed = compose(text)
    assert composed.root is not None
    careful, faults = to_plain(text, composed.root, composed.count)
    assert faults or careful == plain
    assert quick is None or not faults
