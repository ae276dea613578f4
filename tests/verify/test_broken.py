"""A generator that no check can use is one mistake, at its own line."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Tree

import pytest

from closedbook.model.bank import Generator
from closedbook.problem import Place
from closedbook.verify.broken import BrokenGenerators
from closedbook.verify.formats import write
from closedbook.verify.job import Outcome
from tests.verify.bank import EXPERIMENTS, FUNCTIONS, card, make_bank, verify

CARD = """
    ask: How many?
    answer: It is so.
    check:
      run: count
      with: {start: 1, stop: 9}
      expect: {n: 8}
"""
VARYING = """
    vary: {k: 1..5}
    ask: How many?
    answer: It is so.
    check:
      run: count
      with: {start: 1, stop: "{{ k }}"}
      expect: {n: "{{ k - 1 }}", none: None}
"""
THIRD = """
    ask: Which?
    answer: It is so.
    check:
      run: named
      with: {function: Double}
      expect: {name: Double}
"""
CARDS = card(CARD, id="one") + card(VARYING, id="two") + card(THIRD, id="three")


@pytest.mark.parametrize("jobs", [0, 2])
def test_a_bad_import_is_one_mistake_at_its_line(tmp_path: Path, jobs: int) -> None:
    """However many cards and draws run something of the file, its line is shown once."""
    source = EXPERIMENTS.replace("import torch\n", "import torch\nimport nump as np\n")
    verified, report = verify(make_bank(tmp_path, CARDS, experiments=source), jobs=jobs)
    assert verified is None
    [problem] = report.problems
    assert str(problem).splitlines() == [
        "generators/experiments.py:2:1: generators/experiments.py cannot be imported: "
        "ModuleNotFoundError: No module named 'nump'",
        "    import nump as np",
        "    ^",
        "    3 cards wait for it: 'one', 'three', 'two'",
    ]
    assert problem.card is None
    assert [result.failed for result in report.results] == [True] * 3
    assert {str(result.waits_for) for result in report.results} == {"generators/experiments.py:2"}
    suites = Tree.fromstring(write(report, "junit").partition("?>")[2])  # noqa: S314  # our own text
    skipped = [found.get("message") for found in suites.iter("skipped")]
    assert skipped == ["it waits for generators/experiments.py:2"] * 3
    assert (suites.get("errors"), suites.get("failures")) == ("1", "0")


def test_two_files_that_import_a_broken_one(tmp_path: Path) -> None:
    """The line that fails is one, whichever file leads to it; the way there is shown."""
    helper = "if True:\n    import nump\n"
    source = EXPERIMENTS.replace("import torch\n", "import torch\n\nfrom . import aid\n")
    first, second = source.split("@experiment\ndef named")
    files = {
        "aid": helper,
        "experiments": first,
        "more": f"{first.partition('@experiment')[0]}@experiment\ndef named{second}",
    }
    _, report = verify(make_bank(tmp_path, CARDS, **files))
    [problem] = report.problems
    assert str(problem).splitlines() == [
        "generators/aid.py:2:5: generators/experiments.py cannot be imported: "
        "ModuleNotFoundError: No module named 'nump'",
        "        import nump",
        "        ^",
        "    generators/experiments.py:3: from . import aid",
        "    generators/aid.py:2: import nump",
        "    3 cards wait for it: 'one', 'three', 'two'",
    ]


def test_references_of_a_broken_file(tmp_path: Path) -> None:
    """They are not each told; no card is looked at before they are there."""
    source = FUNCTIONS.replace("import torch\n", "import torch\nimport nump\n", 1)
    verified, report = verify(make_bank(tmp_path, CARDS, functions=source))
    assert verified is None
    [problem] = report.problems
    assert problem.message.startswith("generators/functions.py cannot be imported: ")
    assert str(problem.notes[-1]) == "2 marked Functions wait for it: 'Double', 'Product'"
    assert report.notes == ["no card was looked at: the references come first"]


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        (
            "def count(start: int,",
            "def count(start,",
            "9:1",
            "count: parameter 'start' needs an annotation",
        ),
        (
            'return {"n": stop - start,',
            'return {"n": torch.ones(2), "m": stop,',
            "9:1",
            "count: fact 'n' is a live tensor: return .tolist(), or tuple(x.shape) for its shape",
        ),
        (
            '"correct": 4.0}\n',
            '"correct": 4.0}\n\n\ndel count\n',
            "9:1",
            "generators/experiments.py has no 'count' marked @reference, @flawed or @experiment",
        ),
    ],
)
def test_an_experiment_that_no_check_can_use(
    tmp_path: Path, old: str, new: str, place: str, message: str
) -> None:
    """Its own line is shown, once for all cards that wait, and no card of another experiment's."""
    source = EXPERIMENTS.replace(old, new)
    _, report = verify(make_bank(tmp_path, CARDS, experiments=source))
    [problem] = report.problems
    assert problem.message == message
    assert str(problem.place).startswith(f"generators/experiments.py:{place}")
    assert str(problem.notes[-1]) == "2 cards wait for it: 'one', 'two'"


def test_many_cards_that_wait_are_counted(tmp_path: Path) -> None:
    """The first few are named."""
    source = f"import nump\n{EXPERIMENTS}"
    cards = "".join(card(CARD, id=f"card-{n}") for n in range(8))
    _, report = verify(make_bank(tmp_path, cards, experiments=source))
    [problem] = report.problems
    assert str(problem.notes[-1]) == (
        "8 cards wait for it: 'card-0', 'card-1', 'card-2', 'card-3', 'card-4', 'card-5' …"
    )


def outcome(said: str, line: int) -> Outcome:
    """What comes of a check that came upon a fault in a generator's file."""
    return Outcome("k", holds=False, error=said, place=Place("generators/a.py", line), broken=True)


@pytest.mark.parametrize("order", [1, -1])
def test_what_is_told_does_not_hang_on_which_outcome_came_first(order: int) -> None:
    """Of files that come upon one fault the first by name is told; a card waits for the first."""
    generator = Generator("f", "experiment", "generators/a.py", 1, "", {}, (), ())
    found = BrokenGenerators()
    for said, line in [("a.py: no x", 7), ("b.py: no x", 7), ("a.py: no y", 3)][::order]:
        found.add(outcome(said, line), generator, "one")
    problems = found.problems(lambda place: None)
    assert [problem.message for problem in problems] == ["a.py: no y", "a.py: no x"]
    assert found.waiting == {"one": Place("generators/a.py", 3)}
