"""Loading a bank's Python by path."""

import sys
from pathlib import Path

import pytest

from tests.verify.small_bank import SmallBank, job, said

REPLY = """
from closedbook import experiment

@experiment
def reply():
    return {{"x": {value}}}
"""


def test_files_of_a_bank_import_each_other(bank: SmallBank) -> None:
    """Relative imports work across folders, with and without ``__init__.py``."""
    bank.add("shared/numbers.py", "ANSWER = 42\n")
    bank.add("_tools.py", "from .shared.numbers import ANSWER\n")
    bank.add("experiments/__init__.py", "")
    bank.add(
        "experiments/e.py",
        """
        from closedbook import experiment
        from .._tools import ANSWER
        from ..shared import numbers

        @experiment
        def reply():
            return {"x": ANSWER, "same": numbers.ANSWER == ANSWER}
        """,
    )
    assert said(bank.outcome("reply", expect={"x": 42, "same": True})) == []


def test_two_banks_do_not_meet(tmp_path: Path) -> None:
    """Two banks with files of the same name live in one process, each with its own."""
    banks = [SmallBank(tmp_path / name) for name in ("one", "two")]
    for value, each in enumerate(banks):
        each.add("experiments/e.py", REPLY.format(value=value))
    for _ in range(2):
        for value, each in enumerate(banks):
            assert each.outcome("reply", expect={"x": value}).holds


def test_a_changed_file_is_loaded_anew(bank: SmallBank) -> None:
    """A new version runs the new source, even one of the same size written in the same second."""
    for value in (1, 2, 3):
        bank.add("experiments/e.py", REPLY.format(value=value))
        assert said(bank.outcome("reply", expect={"x": value})) == []


def test_nothing_is_left_beside_the_sources(bank: SmallBank) -> None:
    """Loading writes no bytecode into the bank, and reads none."""
    bank.add("experiments/e.py", REPLY.format(value=1))
    assert bank.outcome("reply", expect={"x": 1}).holds
    assert {path.name for path in bank.root.rglob("*")} == {"generators", "experiments", "e.py"}


def test_only_needed_files_are_imported(bank: SmallBank) -> None:
    """A broken file fails the claims that need it, and no other."""
    bank.add("experiments/e.py", REPLY.format(value=1))
    bank.add("experiments/broken.py", "import nothing_of_this_name\ndef other(): pass\n")
    assert bank.outcome("reply", expect={"x": 1}).holds
    assert bank.outcome("other").error is not None


@pytest.mark.parametrize(
    ("source", "message", "place"),
    [
        (
            "x = 1\nimport nothing_of_this_name\ndef e(): pass\n",
            "ModuleNotFoundError: No module named 'nothing_of_this_name'\n"
            "  generators/e.py:2: import nothing_of_this_name",
            "generators/e.py:2",
        ),
        (
            "def inner():\n    return 1 / 0\ninner()\ndef e(): pass\n",
            "ZeroDivisionError: division by zero\n"
            "  generators/e.py:3: inner()\n"
            "  generators/e.py:2 in inner: return 1 / 0",
            "generators/e.py:2",
        ),
        (
            "def e(:\n    pass\n",
            "SyntaxError: invalid syntax\n  generators/e.py:1: def e(:",
            "generators/e.py:1",
        ),
        ("raise SystemExit\ndef e(): pass\n", "SystemExit\n  generators/e.py:1: raise SystemExit",
         "generators/e.py:1"),
        ("raise GeneratorExit\ndef e(): pass\n",
         "GeneratorExit\n  generators/e.py:1: raise GeneratorExit", "generators/e.py:1"),
    ],
)  # fmt: skip
def test_a_file_that_cannot_be_imported(
    bank: SmallBank, source: str, message: str, place: str
) -> None:
    """The problem has its place and the bank's own frames, nothing of Python's machinery."""
    bank.paths["e"] = "generators/e.py"
    outcome = bank.add("e.py", source).outcome("e")
    assert outcome.error == f"generators/e.py cannot be imported: {message}"
    assert str(outcome.place) == place


def test_an_import_that_hangs_is_ended_once(bank: SmallBank) -> None:
    """A file that takes too long to import fails the claims that need it; the others run."""
    bank.add("slow.py", "import time\ntime.sleep(30)\ndef one(): pass\ndef two(): pass\n")
    bank.add("experiments/e.py", REPLY.format(value=1))
    jobs = [job("one", timeout=0.2), job("two", timeout=20), job("reply", expect={"x": 1})]
    one, two, reply = bank.run(*jobs)
    said = "generators/slow.py was not imported in time\n  generators/slow.py:2: time.sleep(30)"
    assert [one.error, two.error] == [said, said]
    assert one.broken
    assert two.broken
    assert reply.holds


def test_what_a_file_prints_is_not_shown(
    bank: SmallBank, capsys: pytest.CaptureFixture[str]
) -> None:
    """Output of an import does not mix with the report."""
    bank.add("experiments/e.py", "print('loading')\n" + REPLY.format(value=1))
    assert bank.outcome("reply", expect={"x": 1}).holds
    assert capsys.readouterr() == ("", "")


def test_a_name_that_is_not_marked(bank: SmallBank) -> None:
    """Only marked definitions are run."""
    bank.add("e.py", "from closedbook import experiment\ndef plain(): pass\n")
    error = "generators/e.py has no 'plain' marked @reference, @flawed or @experiment"
    assert bank.outcome("plain").error == error


def test_a_mark_is_not_inherited(linear: SmallBank) -> None:
    """A class that extends a reference is no reference for that."""
    linear.add("more.py", "from .functions.linear import Linear\nclass More(Linear): pass\n")
    assert "has no 'More' marked" in (linear.outcome("More").error or "")


def test_an_unknown_name_says_which_was_meant(linear: SmallBank) -> None:
    """A misspelt generator is answered with the near one."""
    error = linear.outcome("Linaer").error
    assert error == "no generator is called 'Linaer' (did you mean 'Linear'?)"


def test_the_path_of_python_is_left_alone(linear: SmallBank) -> None:
    """A bank's folder never joins sys.path, and its modules have names of their own."""
    before = list(sys.path)
    linear.outcome("Linear", {"input": (2, 2), "weight": (2, 2)}, expect={"output.shape": (2, 2)})
    assert sys.path == before
    assert "functions.linear" not in sys.modules
    assert "generators" not in sys.modules
