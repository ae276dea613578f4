"""What a receipt depends on: each dependency runs its checks again, and nothing else does."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from closedbook.source import libraries
from closedbook.verify import environment
from tests.verify.bank import EXPERIMENTS, card, make_bank, messages, verify

CARDS = (
    card(
        """
        ask: Shape?
        answer: It is (3,).
        check:
          run: Double
          with: {input: "(3,)"}
          expect: {output.shape: "(3,)"}
        """,
        id="double",
    )
    + card(
        """
        ask: Shape?
        answer: It is (2, 4).
        check:
          run: Product
          with: {left: "(2, 3)", right: "(3, 4)"}
          expect: {output.shape: "(2, 4)"}
        """,
        id="product",
    )
    + card(
        """
        ask: How many from 1 to 9?
        claims:
          - say: There are 8.
            check:
              run: count
              with: {start: 1, stop: 9}
              expect: {n: 8}
          - say: The limit is 5.
            check:
              run: count
              with: {start: 1, stop: 9}
              expect: {limit: 5}
            quote: text
        """,
        id="count",
    )
    + card(
        """
        ask: Its name?
        answer: Double.
        check:
          run: named
          with: {function: Double}
          expect: {name: Double}
        """,
        id="named",
    )
)
FUNCTIONS_FILE = "generators/functions.py"
EXPERIMENTS_FILE = "generators/experiments.py"
CARDS_FILE = "cards/unit/cards.yaml"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A bank whose checks all have receipts: two of Functions themselves, five of cards."""
    root = make_bank(tmp_path, CARDS)
    _, report = verify(root)
    assert messages(report) == []
    assert report.ran == 7
    return root


def edit(root: Path, name: str, old: str, new: str) -> int:
    """Change a file, verify again; how many checks ran."""
    path = root / name
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    _, report = verify(root)
    assert report.ran + report.receipts == 7
    return report.ran


def test_nothing_changed(root: Path) -> None:
    """A second verify runs nothing."""
    _, report = verify(root)
    assert (report.ran, report.receipts) == (0, 7)


def test_fresh_runs_everything(root: Path) -> None:
    """`--fresh` ignores receipts, and leaves new ones."""
    assert verify(root, fresh=True)[1].ran == 7
    assert verify(root)[1].ran == 0


def test_a_check_that_claims_share_is_counted_once(tmp_path: Path) -> None:
    """What one claim has had run is not known from receipts to the next, nor counted twice then."""
    twice = CARDS + "".join(CARDS.partition("- id: named")[1:]).replace("id: named", "id: again")
    root = make_bank(tmp_path, twice)
    for fresh, counts in ((False, (7, 0)), (False, (0, 7)), (True, (7, 0))):
        _, report = verify(root, fresh=fresh)
        assert (report.checks, report.ran, report.receipts) == (6, *counts)


@pytest.mark.parametrize(
    ("name", "old", "new", "runs"),
    [
        # the check's own parts
        pytest.param(CARDS_FILE, "expect: {n: 8}", "expect: {n: 8, limit: 5}", 1, id="expect"),
        pytest.param(
            CARDS_FILE, "expect: {n: 8}", "expect: {n: 8}\n        timeout: 5", 1, id="timeout"
        ),
        pytest.param(CARDS_FILE, "stop: 9", "stop: 9, ", 0, id="layout"),
        pytest.param(CARDS_FILE, 'input: "(3,)"', 'input: "(4,)"', 1, id="with"),
        pytest.param(CARDS_FILE, "quote: text", "quote: text\n      points: 2", 0, id="points"),
        pytest.param(CARDS_FILE, "      quote: text\n", "", 1, id="quote"),
        # the sentence around it
        pytest.param(CARDS_FILE, "ask: Its name?", "ask: What is its name?", 0, id="ask"),
        pytest.param(CARDS_FILE, "id: named", "id: renamed", 0, id="id"),
        pytest.param(CARDS_FILE, "say: There are 8.", "say: 8 there are.", 0, id="say"),
        # the definition that it runs, and what that reaches
        pytest.param(FUNCTIONS_FILE, "left.mm(right)", "left @ right", 2, id="source"),
        pytest.param(FUNCTIONS_FILE, "grad_output * 2", "2 * grad_output", 3, id="by name"),
        pytest.param("generators/help.py", "return 2", "return 4 // 2", 3, id="helper"),
        pytest.param("generators/help.py", "return 3", "return 4", 0, id="unused helper"),
        pytest.param(EXPERIMENTS_FILE, "LIMIT = 5", "LIMIT = 2 + 3", 2, id="constant"),
        # what says nothing to a program
        pytest.param(FUNCTIONS_FILE, "import torch\n", "import torch  # it\n", 0, id="comment"),
        pytest.param(
            FUNCTIONS_FILE, 'example={"input": (3,)}', 'example={"input": (4,)}', 1, id="example"
        ),
    ],
)
def test_a_change(root: Path, name: str, old: str, new: str, runs: int) -> None:
    """A change runs exactly the checks that depend on it, those of the definition included."""
    assert edit(root, name, old, new) == runs


def test_a_new_file_touches_nothing(root: Path) -> None:
    """A generator that no check names changes no receipt."""
    (root / "generators" / "more.py").write_text("VALUE = 1\n")
    assert verify(root)[1].ran == 0


@pytest.fixture
def versions(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """The environment, read anew before and after."""
    environment.environment.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    environment.environment.cache_clear()


@pytest.mark.parametrize("which", ["torch_version", "engine_version"])
def test_another_version_runs_everything(
    root: Path, versions: pytest.MonkeyPatch, which: str
) -> None:
    """Receipts of another torch or engine are no receipts, and stay for when it comes back."""
    versions.setattr(environment, which, lambda: "2.99")
    assert verify(root)[1].ran == 7
    versions.undo()
    environment.environment.cache_clear()
    assert verify(root)[1].ran == 0


def test_another_python_runs_everything(root: Path, versions: pytest.MonkeyPatch) -> None:
    """Receipts of another Python are no receipts."""
    versions.setattr(environment.sys, "version_info", (3, 99, 0, "final", 0))
    assert verify(root)[1].ran == 7


READING = """\
from pathlib import Path

from closedbook import experiment


@experiment
def rows() -> dict:
    from .help import unused

    table = Path(__file__).with_name("table.csv").read_text()
    return {"rows": unused() * len(table.splitlines())}
"""
READING_CARD = card(
    """
    ask: How many rows?
    answer: 6 rows.
    check:
      run: rows
      expect: {rows: 6}
    """
)


def test_what_is_read_and_imported_while_a_check_runs(tmp_path: Path) -> None:
    """A table that an experiment opens and a helper that it imports late are dependencies."""
    root = make_bank(tmp_path, READING_CARD, reading=READING)
    table, helper = root / "generators/table.csv", root / "generators/help.py"
    table.write_text("1\n2\n")
    assert messages(verify(root)[1]) == []
    table.write_text("3\n4\n")
    assert verify(root)[1].ran == 1
    table.write_text("3\n")
    (said,) = messages(verify(root)[1])
    assert "expected 6, observed 3" in said
    table.write_text("3\n4\n")
    assert verify(root)[1].ran == 0
    helper.write_text(helper.read_text().replace("return 3", "return 4"))
    assert any("expected 6, observed 8" in said for said in messages(verify(root)[1]))


PLUGINS = """\
from closedbook import experiment

from . import plugin
from .registry import KNOWN


@experiment
def known() -> dict:
    return {"x": KNOWN["x"]}
"""
PLUGINS_CARD = card(
    """
    ask: What is x?
    answer: It is 5.
    check: {run: known, expect: {x: 5}}
    """
)


def test_a_file_that_is_imported_for_what_it_does(tmp_path: Path) -> None:
    """A sibling that fills another's table is a dependency of who imports it."""
    files = {"registry": "KNOWN = {}\n", "plugin": "from .registry import KNOWN\nKNOWN['x'] = 5\n"}
    root = make_bank(tmp_path, PLUGINS_CARD, plugins=PLUGINS, **files)
    assert messages(verify(root)[1]) == []
    plugin = root / "generators/plugin.py"
    plugin.write_text(plugin.read_text().replace("5", "6"))
    _, report = verify(root)
    (said,) = messages(report)
    assert "expected 5, observed 6" in said
    assert report.ran == 1


LIBRARY = """\
import tinylib

from closedbook import experiment


@experiment
def told() -> dict:
    return {"n": tinylib.N}


@experiment
def alone() -> dict:
    return {"n": 3}
"""
LIBRARY_CARD = card(
    """
    ask: Which?
    claims:
      - say: It is 3.
        check: {run: told, expect: {n: 3}}
      - say: It is 3, too.
        check: {run: alone, expect: {n: 3}}
    """
)


def test_a_library_that_a_generator_imports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another version of a library runs the checks that use it, under whatever name it is sold."""
    site = tmp_path / "site"
    (site / "tinylib").mkdir(parents=True)
    (site / "tinylib" / "__init__.py").write_text("N = 3\n")
    monkeypatch.syspath_prepend(str(site))
    root = make_bank(tmp_path / "bank", LIBRARY_CARD, library=LIBRARY)
    ran = []
    for name, version in (("tinylib", "1.0"), ("tinylib", "1.1"), ("tiny_lib", "1.1")):
        for old in site.glob("*.dist-info"):
            shutil.rmtree(old)
        (info := site / f"{name}-{version}.dist-info").mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (info / "top_level.txt").write_text("tinylib\n")
        libraries.version_of.cache_clear()
        _, report = verify(root)
        assert messages(report) == []
        ran.append(report.ran)
    libraries.version_of.cache_clear()
    assert ran == [4, 1, 1]


TWO = """\
import torch

from closedbook import experiment


@experiment
def both(name: str, functions: dict) -> dict:
    return {"names": [functions["one"], functions["other"]]}
"""
TWO_CARD = card(
    """
    ask: Which are run?
    answer: Product and Double.
    check:
      run: both
      with: {name: Product, functions: {one: Product, other: Double}}
      expect: {names: [Product, Double]}
    """
)


def test_a_function_that_is_named_within_a_mapping(tmp_path: Path) -> None:
    """A check depends on every generator that its arguments name, however deep."""
    root = make_bank(tmp_path, TWO_CARD, two=TWO)
    assert messages(verify(root)[1]) == []
    path = root / FUNCTIONS_FILE
    path.write_text(path.read_text().replace("grad_output * 2", "2 * grad_output"))
    assert verify(root)[1].ran == 2


FLAWED = """\
import torch

from closedbook import experiment, flawed

from .functions import Double


@experiment
def slope(function: type[torch.autograd.Function]) -> dict:
    x = torch.ones(1, requires_grad=True)
    function.apply(x).sum().backward()
    return {"slope": x.grad.item()}


@flawed(of=OF, caught_by="slope")
class Triple(torch.autograd.Function):
    @staticmethod
    def forward(input):
        return input * 2

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output * 3
"""


@pytest.mark.parametrize("of", ["Double", "'Double'"])
def test_what_the_check_of_a_flaw_depends_on(tmp_path: Path, of: str) -> None:
    """A flawed Function is checked again where its experiment or the right Function changes."""
    root = make_bank(tmp_path, CARDS, flaw=FLAWED.replace("OF", of))
    assert messages(verify(root)[1]) == []
    flaw, functions = root / "generators/flaw.py", root / FUNCTIONS_FILE
    flaw.write_text(flaw.read_text().replace("x.grad.item()", "float(x.grad)"))
    assert verify(root)[1].ran == 1
    functions.write_text(functions.read_text().replace("left.mm(right)", "left @ right"))
    assert verify(root)[1].ran == 2  # Product's own check and its card's: none of the flaw
    functions.write_text(functions.read_text().replace("grad_output * 2", "2 * grad_output"))
    assert verify(root)[1].ran == 4  # Double, the flaw, and the two cards that run Double


def test_sources_that_change_below_a_run(root: Path) -> None:
    """What ran while its source was being edited leaves no receipt."""
    from closedbook.verify import Options, verify_bank
    from tests.verify.bank import load

    (root / EXPERIMENTS_FILE).write_text(EXPERIMENTS + "\n# one\n")
    bank = load(root)
    (root / EXPERIMENTS_FILE).write_text(EXPERIMENTS.replace("stop - start", "8 + 0"))
    _, report = verify_bank(bank, options=Options(jobs=0, fresh=True))
    assert report.ran == 7
    assert "generators changed during the run: no receipts were kept" in report.notes
