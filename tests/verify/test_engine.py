"""A bank in, a verified bank or its mistakes out."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from closedbook.source import load_bank
from closedbook.verify import Options, engine, verify_bank
from tests.verify.bank import FUNCTIONS, card, load, make_bank, messages, verify

PRODUCT = card(
    """
    ask: What are the shapes?
    answer: The output is (2, 4), the gradients (2, 3) and (3, 4).
    check:
      run: Product
      with:
        left: (2, 3)
        right: (3, 4)
      expect:
        output.shape: (2, 4)
        grad_left.shape: (2, 3)
        grad_right.shape: (3, 4)
    """,
    id="product",
)
COUNT = card(
    """
    ask: How many from 1 to 9?
    claims:
      - say: There are 8.
        check:
          run: count
          with: {start: 1, stop: 9}
          expect: {n: 8, none: None, text: "from 1 to 9"}
        quote: text
      - say: It was so on 2001-01-01.
        unchecked: nobody can run that
      - say: This is of another torch.
        versions: ">=99"
        check:
          run: count
          with: {start: 1, stop: 9}
          expect: {n: 7}
    """,
    id="count",
)


def test_a_bank_that_holds(tmp_path: Path) -> None:
    """Each claim comes with what was observed; exempted and skipped ones come without."""
    verified, report = verify(make_bank(tmp_path, PRODUCT + COUNT))
    assert messages(report) == []
    assert verified is not None
    counts = (report.cards, report.claims, report.checks, report.draws)
    assert counts == (2, 4, 2, 2)
    assert (report.exemptions, report.skipped, report.references) == (1, 1, 2)
    product, count = (entry.at(0) for entry in verified.cards)
    [evidence] = product.evidence
    assert evidence is not None
    assert evidence.run == "Product(left=(2, 3), right=(3, 4))"
    assert evidence.facts["grad_right.shape"] == (3, 4)
    line = FUNCTIONS.splitlines().index("class Product(torch.autograd.Function):") + 1
    assert str(evidence.place) == f"generators/functions.py:{line}"
    first, *others = count.evidence
    assert first is not None
    assert first.quote == "from 1 to 9"
    assert first.facts == {"n": 8, "none": None, "text": "from 1 to 9"}
    assert others == [None, None]
    assert [passed.reason for passed in report.exempted] == ["nobody can run that"]
    assert report.outside[0].reason.startswith("holds for torch >=99, and this is 2.")


def test_an_exempted_claim_is_not_run(tmp_path: Path) -> None:
    """With `unchecked` a claim passes by its reason alone, whatever its check would have said."""
    reason = "        unchecked: its check takes a day\n"
    text = COUNT.replace("    - say: There are 8.\n", "    - say: There are 8.\n" + reason[2:])
    text = text.replace("n: 8", "n: 9")
    verified, report = verify(make_bank(tmp_path, text))
    assert messages(report) == []
    assert verified is not None
    assert (report.checks, report.exemptions) == (0, 2)
    assert verified.cards[0].at(0).evidence == (None, None, None)


def test_a_claim_that_fails(tmp_path: Path) -> None:
    """The message stands at the expectation, says both sides, and names card and generator."""
    root = make_bank(tmp_path, PRODUCT.replace("shape: (3, 4)", "shape: (4, 3)"))
    verified, report = verify(root)
    assert verified is None
    [problem] = report.problems
    assert messages(report) == [
        "cards/unit/cards.yaml:14:25: grad_right.shape of Product: expected (4, 3), observed (3, 4)"
    ]
    assert problem.card == "product"
    assert problem.excerpt is not None
    assert problem.excerpt.endswith("grad_right.shape: (4, 3)")
    assert str(problem.notes[0]).startswith("from Product (generators/functions.py:")
    assert [result.failed for result in report.results] == [True]


def test_every_mistake_is_told(tmp_path: Path) -> None:
    """One run tells of each claim that fails, each number unproven, in the order of the file."""
    text = PRODUCT.replace("(2, 4), the", "(2, 5), the") + COUNT.replace("n: 8", "n: 9")
    _, report = verify(make_bank(tmp_path, text))
    assert [line.partition(": ")[2] for line in messages(report)] == [
        "'(2, 5)' is stated, but neither the asking side nor a check of this card states it",
        "'8' is stated, but neither the asking side nor a check of this card states it",
        "n of count: expected 9, observed 8",
    ]


def test_an_experiment_that_raises(tmp_path: Path) -> None:
    """A run that fails is one problem at its check, with the bank's own frames."""
    source = (
        "from closedbook import experiment\n\n\n@experiment\ndef broken() -> dict:\n"
        "    return {'n': 1 // 0}\n"
    )
    text = card("ask: What?\nanswer: It.\ncheck:\n  run: broken\n  with: {}\n  expect: {n: 1}\n")
    _, report = verify(make_bank(tmp_path, text, more=source))
    [problem] = report.problems
    assert problem.message.startswith("broken failed: ZeroDivisionError")
    assert "generators/more.py:6 in broken" in str(problem)


def test_a_pipe_among_the_generators_is_not_waited_for(tmp_path: Path) -> None:
    """One that is called Python is a mistake; one that lies beside them is nobody's business."""
    text = "ask: How many?\nclaims:\n  - say: It is so.\n    check: {run: count,"
    text += " with: {start: 1, stop: 9}, expect: {n: 8}}\n"
    root = make_bank(tmp_path, card(text))
    os.mkfifo(root / "generators" / "beside")
    assert messages(verify(root)[1]) == []
    os.mkfifo(root / "generators" / "pipe.py")
    bank, problems = load_bank(root)
    assert bank is not None
    assert list(map(str, problems)) == ["generators/pipe.py: not a file that can be read"]
    assert not verify_bank(bank, options=Options(jobs=0))[1].failed


def test_nothing_runs_while_a_generator_is_no_python(tmp_path: Path) -> None:
    """What hangs on it would fail for that alone: the one mistake is told, by who read the bank."""
    bank, _ = load_bank(make_bank(tmp_path, PRODUCT, more="def half(:\n"))
    assert bank is not None
    verified, report = verify_bank(bank, options=Options(jobs=0))
    assert bank.doubtful == {"half"}
    assert (verified, messages(report)) == (None, [])
    assert report.notes == ["no check was run: generators/ comes first"]


def test_facts_that_cannot_be_taken_are_one_mistake(tmp_path: Path) -> None:
    """Where what an experiment returns is refused, its facts are not missed one by one as well."""
    source = "from closedbook import experiment\n\n\n@experiment\ndef none() -> dict:\n    pass\n"
    text = card("ask: What?\nanswer: It.\ncheck: {run: none, with: {}, expect: {n: 1, m: 2}}\n")
    _, report = verify(make_bank(tmp_path, text, more=source))
    [problem] = report.problems
    assert problem.message == "none returned NoneType: an experiment returns a dict of facts"


def test_a_formula_that_cannot_be_used(tmp_path: Path) -> None:
    """It is a mistake of the card, and is not worded as something that was observed."""
    text = PRODUCT.replace("output.shape: (2, 4)", 'output: {formula: "left @ rigt"}')
    _, report = verify(make_bank(tmp_path, text))
    said = [line.partition(": ")[2] for line in messages(report)]
    unusable = "the formula cannot be used: unknown name 'rigt' (did you mean 'right'?)"
    assert f"output of Product: {unusable}" in said


def test_an_experiment_that_cannot_be_run_is_named_once(tmp_path: Path) -> None:
    """What is wrong with an experiment follows its name, which is not said again."""
    source = (
        "from closedbook import experiment\n\n\n@experiment\ndef odd(n) -> dict:\n"
        "    return {'n': n}\n"
    )
    text = card("ask: What?\nanswer: It.\ncheck:\n  run: odd\n  with: {n: 1}\n  expect: {n: 1}\n")
    _, report = verify(make_bank(tmp_path, text, more=source))
    [problem] = report.problems
    assert problem.message == "odd: parameter 'n' needs an annotation"


@pytest.mark.parametrize("jobs", [0, 2])
def test_a_reference_that_fails_comes_first(tmp_path: Path, jobs: int) -> None:
    """No card is judged while a reference is not what its mark says, though some were read."""
    wrong = FUNCTIONS.replace("grad_output * 2", "grad_output * 3")
    root = make_bank(tmp_path, PRODUCT.replace("(2, 4), the", "(2, 5), the"), functions=wrong)
    verified, report = verify(root, jobs=jobs)
    assert verified is None
    assert (report.cards, report.draws, report.checks, report.claims) == (0, 0, 0, 0)
    assert [problem.place.path for problem in report.problems] == ["generators/functions.py"]
    assert report.problems[0].message == "reference 'Double' is not what its mark says"
    line = wrong.splitlines().index("class Double(torch.autograd.Function):") + 1
    assert str(report.problems[0]).splitlines() == [
        f"generators/functions.py:{line}:7: reference 'Double' is not what its mark says",
        "    class Double(torch.autograd.Function):",
        "          ^",
        "    gradcheck: expected passes, observed fails at output 0, input 0: "
        "Jacobian mismatch for output 0 with respect to input 0",
    ]


HIDDEN = (
    PRODUCT
    + card(
        """
        vary: {n: 1..9}
        ask: From 0 to {{ n }}?
        claims:
          - say: "{{ n }}"
            check:
              run: count
              with: {start: 0, stop: "{{ n }}"}
              expect: {n: "{{ n }}"}
          - say: So it is.
            unchecked: It is plain.
          - say: So it was.
            versions: <1
            check:
              run: count
              with: {start: 0, stop: 0}
              expect: {n: 0}
        """,
        id="varies",
    )
    + card(
        """
        vary: {n: 0..1}
        ask: "{{ 6 // n }}?"
        answer: It.
        check:
          run: count
          with: {start: 0, stop: 1}
          expect: {n: 1}
        """,
        id="undrawn",
    )
)


@pytest.mark.parametrize("jobs", [0, 2])
@pytest.mark.parametrize("draws", [3, 2000])
def test_nothing_of_the_cards_is_counted_behind_a_reference_that_fails(
    tmp_path: Path, jobs: int, draws: int
) -> None:
    """What was read ahead is forgotten, but for what needs no run: a card that cannot be drawn."""
    wrong = FUNCTIONS.replace("grad_output * 2", "grad_output * 3")
    bank, problems = load_bank(make_bank(tmp_path, HIDDEN, functions=wrong), drawn=False)
    assert bank is not None
    assert not problems
    _, report = verify_bank(bank, options=Options(jobs=jobs, draws=draws))
    assert report.notes == ["no card was looked at: the references come first"]
    assert (report.walked, report.checks, report.cards) == (0, 0, 0)
    assert (report.sampled, report.exempted, report.outside, report.results) == ([], [], [], [])
    said = messages(report)
    assert len(said) == 2
    assert "cannot be filled in" in said[1]


def test_the_collector_is_left_as_it_was(tmp_path: Path) -> None:
    """A run hands the cycle collector back with its own threshold, and nothing set aside."""
    bank = load(make_bank(tmp_path, PRODUCT))
    verify_bank(bank, options=Options(jobs=2))
    set_aside, threshold = gc.get_freeze_count(), gc.get_threshold()
    gc.set_threshold(701, 11, 12)
    try:
        verify_bank(bank, options=Options(jobs=2, fresh=True))
        assert gc.get_threshold() == (701, 11, 12)
        assert gc.get_freeze_count() == set_aside
    finally:
        gc.set_threshold(*threshold)


def test_no_more_claims_wait_than_are_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A card waits in memory for its check: however many there are, few do at a time."""
    monkeypatch.setattr(engine, "_HELD", 16)
    monkeypatch.setattr(engine, "_AHEAD", 0)
    monkeypatch.setattr(engine, "_LOOKAHEAD", 8)
    monkeypatch.setattr(engine, "_FIRST_CHUNK", 10**6)
    text = card(
        """
        vary: {n: 1..99}
        ask: From 0 to {{ n }}?
        answer: It is {{ n }}.
        check:
          run: count
          with: {start: 0, stop: "{{ n }}"}
          expect: {n: "{{ n }}"}
        """
    )
    held = []
    bank = load(make_bank(tmp_path, text))
    run = engine._Run(bank, Options(jobs=0), lambda done, total: held.append(run.held))
    run.go()
    assert not run.report.failed
    assert len(held) == 99
    assert 16 < max(held) <= 16 + 8


def test_a_mistake_in_many_draws_is_told_once(tmp_path: Path) -> None:
    """The first draw that breaks a card is named, and the rest are counted."""
    text = card(
        """
        vary: {n: 1..6}
        ask: From 1 to {{ n }}?
        answer: "{{ n - 1 }}"
        check:
          run: count
          with: {start: 1, stop: "{{ n }}"}
          expect: {n: "{{ n - (1 if n < 3 else 2) }}"}
        """
    )
    _, report = verify(make_bank(tmp_path, text))
    failed = [problem for problem in report.problems if "observed" in problem.message]
    assert [problem.message for problem in failed] == ["n=3: n of count: expected 1, observed 2"]
    assert str(failed[0].notes[-1]) == "and in 3 more draws"


def test_retired_cards_are_left_out(tmp_path: Path) -> None:
    """A retired card is neither checked nor handed on."""
    wrong = PRODUCT.replace("(4, 4)", "(9, 9)").replace("  ask:", "  retired: true\n  ask:", 1)
    verified, report = verify(make_bank(tmp_path, wrong + COUNT))
    assert messages(report) == []
    assert verified is not None
    assert [entry.card.id for entry in verified.cards] == ["count"]


@pytest.mark.parametrize(
    ("options", "ids"),
    [
        ({"words": ("prod",)}, ["product"]),
        ({"words": ("QUESTION", "count")}, ["count"]),
        ({"words": ("nothing",)}, []),
        ({"units": ("unit",)}, ["product", "count"]),
        ({"paths": ("cards/unit",)}, ["product", "count"]),
        ({"paths": ("cards/uni",)}, []),
    ],
)
def test_choosing_cards(
    tmp_path: Path, options: dict[str, tuple[str, ...]], ids: list[str]
) -> None:
    """Words, units and paths choose what is verified, and what the verified bank holds."""
    verified, report = verify(make_bank(tmp_path, PRODUCT + COUNT), **options)
    assert messages(report) == []
    assert verified is not None
    assert [entry.card.id for entry in verified.cards] == ids


def test_evidence_outlives_its_receipts(tmp_path: Path) -> None:
    """A verified bank whose store is gone runs the check again for who asks."""
    root = make_bank(tmp_path, PRODUCT)
    verified, _ = verify(root, store=tmp_path / "elsewhere")
    assert verified is not None
    import sqlite3

    with sqlite3.connect(tmp_path / "elsewhere" / "receipts.sqlite3") as connection:
        connection.execute("DELETE FROM receipts")
    connection.close()
    [evidence] = verified.cards[0].at(0).evidence
    assert evidence is not None
    assert evidence.facts["output.shape"] == (2, 4)


def test_progress_ends_at_the_total(tmp_path: Path) -> None:
    """Whoever watches is told of each draw."""
    told: list[tuple[int, int]] = []
    bank = load(make_bank(tmp_path, PRODUCT + COUNT))
    verify_bank(bank, options=Options(jobs=0), progress=lambda *at: told.append(at))
    assert told == [(1, 2), (2, 2)]


def test_receipts_need_no_torch(tmp_path: Path) -> None:
    """A bank whose receipts all hold is verified, evidence and all, without torch."""
    root = make_bank(tmp_path, PRODUCT + COUNT)
    assert verify(root)[0] is not None
    program = (
        "import sys\nfrom pathlib import Path\nfrom closedbook.source import load_bank\n"
        "from closedbook.verify import verify_bank\n"
        "verified, report = verify_bank(load_bank(Path(sys.argv[1]))[0])\n"
        "facts = verified.cards[0].at(0).evidence[0].facts\n"
        "assert facts['output.shape'] == (2, 4), facts\n"
        "assert report.ran == 0\nassert 'torch' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program, str(root)], check=True, timeout=60)


FACTS = {
    "n": ("8", ["7", "9", "-8", "8.5", "None", "true", "(8,)", "text"]),
    "limit": ("5", ["6", "5.1", "false", "[5]"]),
    "text": ('"from 1 to 9"', ['"from 1 to 8"', "from", "9"]),
    "none": ("None", ["0", "false", "nothing", "none"]),
    "shape": ("(2, 4)", ["(4, 2)", "(2, 4, 1)", "(2,)", "8", "[2, 4]", "(2, 5)"]),
    "ones": (
        "[[3.0, 3.0]]",
        ["[[3.0, 3.1]]", "[3.0, 3.0]", "[[3.0], [3.0]]", "3", "[[3, 3, 3]]"],
    ),
    "truth": ("true", ["false", "1", "None", "yes"]),
}


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_one_wrong_value_is_always_found(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever facts a card expects, any one change to one of them fails, and names the card."""
    facts = data.draw(st.lists(st.sampled_from(sorted(FACTS)), min_size=1, unique=True))
    changed = data.draw(st.sampled_from(facts))
    wrong = data.draw(st.sampled_from(FACTS[changed][1]))
    good = {fact: FACTS[fact][0] for fact in facts}
    root = tmp_path_factory.mktemp("bank")
    for expect, holds in ((good, True), (good | {changed: wrong}, False)):
        lines = "".join(f"    {fact}: {value}\n" for fact, value in expect.items())
        check = "check:\n  run: mixed\n  with: {start: 1, stop: 9}\n  expect:\n" + lines
        other = card("ask: What?\nanswer: That.\n" + check, id="changed")
        _, report = verify(make_bank(root, PRODUCT + other, mixed=MIXED))
        assert [problem.card for problem in report.problems] == ([] if holds else ["changed"])
        assert all(changed in problem.message for problem in report.problems)


MIXED = """\
import torch

from closedbook import experiment


@experiment
def mixed(start: int, stop: int) -> dict:
    return {
        "n": stop - start,
        "limit": 5,
        "text": f"from {start} to {stop}",
        "none": None,
        "shape": tuple(torch.zeros(2, 4).shape),
        "ones": torch.full((1, 2), 3.0).tolist(),
        "truth": True,
    }
"""


def test_a_quote_that_is_no_text(tmp_path: Path) -> None:
    """Only a captured text can be quoted; anything else is a mistake where the quote stands."""
    text = COUNT.replace("quote: text", "quote: n")
    _, report = verify(make_bank(tmp_path, text.replace("n: 8, ", "")))
    quoted = [problem for problem in report.problems if "quote" in problem.message]
    line = text.splitlines().index("      quote: n") + 1
    assert [(problem.place.line, problem.card) for problem in quoted] == [(line, "count")]
