"""A definition's digest changes with all that it reaches, and with nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.source.digest import Digests
from tests.source.banks import bank_with
from tests.source.builders import CARD

SOURCES = {
    "generators/functions/linear.py": '''"""Linear layers."""
import torch
from closedbook import reference
from ..tools import numbers, scale as scaled
from ..tools.numbers import FACTOR

LIMIT = 3
UNUSED = 4
TABLE = {}
TABLE["linear"] = LIMIT


def helper(x):
    return scaled(x) * FACTOR


def stranger(x):
    return x + UNUSED


@reference(example={"x": (3,)})
class Linear(torch.autograd.Function):
    """A comment of sorts."""

    @staticmethod
    def forward(ctx, x):
        # a comment
        return helper(x) + TABLE["linear"]


@reference(example={"x": (3,)})
class Other(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return numbers.twice(x)


@reference(example={"x": (3,)})
class Dynamic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return eval("stranger(x)")


@reference(example={"x": (3,)})
class Whole(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * len(vars_of(numbers))
''',
    "generators/tools/__init__.py": "from .scaling import scale\n\nPACKAGE = 1\n",
    "generators/tools/scaling.py": '''"""Scaling."""
WEIGHT = 2


def scale(x):
    return x * WEIGHT


def unscale(x):
    return x / WEIGHT
''',
    "generators/tools/numbers.py": """FACTOR = 5
SPARE = 6


def twice(x):
    return x + x
""",
    "generators/experiments/starred.py": """from closedbook import experiment
from ..functions.linear import *


@experiment
def starred():
    return {"a": stranger(1)}


@experiment(isolated=True)
def alone():
    return {"a": 1}
""",
}
NAMES = ("Linear", "Other", "Dynamic", "Whole", "starred", "alone")
LINEAR = "generators/functions/linear.py"
NUMBERS = "generators/tools/numbers.py"
SCALING = "generators/tools/scaling.py"
STARRED = "generators/experiments/starred.py"
ALL_OF_LINEAR = {"Dynamic", "starred", "alone"}
"""What depends on the whole of ``linear.py``: by ``eval``, or by a star import."""


def digests(sources: dict[str, str], *, mark: bool = False) -> dict[str, str]:
    """The digest of each name."""
    found = Digests(sources)
    return {name: found.digest_of(name, mark=mark) for name in NAMES}


def changed(path: str, old: str, new: str, *, mark: bool = False) -> set[str]:
    """The names whose digest differs after one change of one file."""
    assert SOURCES[path].count(old) == 1
    after = {**SOURCES, path: SOURCES[path].replace(old, new)}
    before, now = digests(SOURCES, mark=mark), digests(after, mark=mark)
    return {name for name in NAMES if before[name] != now[name]}


@pytest.mark.parametrize(
    ("path", "old", "new", "names"),
    [
        # its own body, a helper, a constant, an entry of a table, a sibling's function or constant
        (LINEAR, "return helper(x) +", "return helper(x) -", {"Linear"} | ALL_OF_LINEAR),
        (LINEAR, "return scaled(x)", "return 1 + scaled(x)", {"Linear"} | ALL_OF_LINEAR),
        (LINEAR, "LIMIT = 3", "LIMIT = 4", {"Linear"} | ALL_OF_LINEAR),
        (LINEAR, '["linear"] = LIMIT', '["linear"] = 7', {"Linear"} | ALL_OF_LINEAR),
        (SCALING, "return x * WEIGHT", "return x - WEIGHT", {"Linear"} | ALL_OF_LINEAR),
        (SCALING, "WEIGHT = 2", "WEIGHT = 3", {"Linear"} | ALL_OF_LINEAR),
        (NUMBERS, "FACTOR = 5", "FACTOR = 6", {"Linear", "Whole"} | ALL_OF_LINEAR),
        (NUMBERS, "return x + x", "return 2 * x", {"Other", "Whole"} | ALL_OF_LINEAR),
        # what is not reached by name is reached by those that may reach anything
        (LINEAR, "return x + UNUSED", "return x", ALL_OF_LINEAR),
        (LINEAR, "UNUSED = 4", "UNUSED = 5", ALL_OF_LINEAR),
        # a module that is handed on as a whole
        (NUMBERS, "SPARE = 6", "SPARE = 7", {"Whole"} | ALL_OF_LINEAR),
        (SCALING, "return x / WEIGHT", "return x", set()),
        ("generators/tools/__init__.py", "PACKAGE = 1", "PACKAGE = 2", set()),
        # a statement that binds nothing runs with the module, whoever imports it
        (SCALING, '"""Scaling."""', '"""Scaling."""\nprint(1)', set(NAMES)),
        # comments, layout and our own marks are not what runs
        (LINEAR, "# a comment", "# another", set()),
        (LINEAR, "UNUSED = 4\n", "UNUSED = 4\n\n\n", set()),
        (STARRED, '{"a": stranger(1)}', '{"a": stranger(2)}', {"starred"}),
        (STARRED, "isolated=True", "isolated=False", {"alone"}),
    ],
)
def test_a_change_touches_what_reaches_it(path: str, old: str, new: str, names: set[str]) -> None:
    """Each dependency changes the digest of those that have it, and of no other."""
    assert changed(path, old, new) == names


def test_the_mark_counts_where_it_is_asked_for() -> None:
    """The example is what the reference's own check runs on, and no card's."""
    old = '@reference(example={"x": (3,)})\nclass Other'
    new = '@reference(example={"x": (4,)})\nclass Other'
    assert changed(LINEAR, old, new) == set()
    assert changed(LINEAR, old, new, mark=True) == {"Other"}


def test_a_definition_that_moves_within_its_file_stays_the_same() -> None:
    """Lines and order are not what runs."""
    head, linear, rest = SOURCES[LINEAR].partition("LIMIT = 3\n")
    assert changed(LINEAR, linear, "\n\n" + linear) == set()
    assert head
    assert rest


def test_a_registry_of_the_banks_own_counts_for_its_module() -> None:
    """A decorator of the bank may keep what it decorates: its uses belong to the module."""
    sources = {
        "generators/a.py": """from closedbook import experiment

KEPT = []

def keep(f):
    KEPT.append(f)
    return f

@keep
def one():
    return 1

@experiment
def all_kept():
    return {"n": sum(f() for f in KEPT)}
"""
    }
    after = {"generators/a.py": sources["generators/a.py"].replace("return 1", "return 2")}
    assert Digests(sources).digest_of("all_kept") != Digests(after).digest_of("all_kept")


def test_an_unknown_name_has_a_digest() -> None:
    """Asking for what does not exist is no mistake of the digest's."""
    assert Digests({}).digest_of("Nothing") == Digests(SOURCES).digest_of("Nothing")


FORMS = {
    "generators/__init__.py": "",
    "generators/functions/__init__.py": "",
    "generators/functions/one.py": "def f(x):\n    return x\n\n\ndef g(x):\n    return x + 1\n",
    "generators/use.py": """from closedbook import experiment
from . import functions
from .functions import one as o

try:
    import fast as engine
except ImportError as missing:
    engine = None

if engine:
    def pick():
        return 1
else:
    def pick():
        return 2

count = 0


def step():
    global count
    count += 10


@experiment
def by_package():
    return functions.one.f(1)


@experiment
def by_module():
    return o.g(1)


@experiment
def by_branch():
    return pick(), engine


@experiment
def by_global():
    return count
""",
}


@pytest.mark.parametrize(
    ("path", "old", "new", "names"),
    [
        ("functions/one.py", "return x\n", "return -x\n", {"by_package"}),
        ("functions/one.py", "return x + 1", "return x + 2", {"by_package", "by_module"}),
        ("use.py", "return 2", "return 3", {"by_branch"}),
        ("use.py", "engine = None", "engine = 0", {"by_branch"}),
        ("use.py", "import fast as engine", "import faster as engine", {"by_branch"}),
        ("use.py", "count += 10", "count += 11", {"by_global"}),
        ("__init__.py", "", "print(1)\n",
         {"by_package", "by_module", "by_branch", "by_global"}),
    ],
)  # fmt: skip
def test_every_form_of_python_is_followed(path: str, old: str, new: str, names: set[str]) -> None:
    """Packages, branches, ``try``, ``global``, and what runs when a package is imported."""
    path = f"generators/{path}"
    after = {**FORMS, path: FORMS[path].replace(old, new, 1)}
    every = ("by_package", "by_module", "by_branch", "by_global")
    before, now = Digests(FORMS), Digests(after)
    assert {n for n in every if before.digest_of(n) != now.digest_of(n)} == names


HOW = {
    "within a function": "def use():\n    from .inner.one import f\n    return f()\n",
    "under another name": "def use():\n    from .inner.one import f as g\n    return g()\n",
    "a module": "def use():\n    from .inner import one\n    return one.f()\n",
    "a package": "def use():\n    from . import inner\n    return inner.one.f()\n",
    "in a try": "try:\n    from .inner.one import f\nexcept ImportError:\n    f = None\n"
    "def use():\n    return f()\n",
    "in a branch": "if True:\n    from .inner import one\ndef use():\n    return one.f()\n",
    "by name": "import importlib\ndef use():\n"
    "    return importlib.import_module('.inner.one', __package__).f()\n",
}


@pytest.mark.parametrize("how", HOW)
def test_an_import_in_the_midst_of_other_code_is_followed(how: str) -> None:
    """What is imported late counts like what is imported at the top of the file."""
    head = "from closedbook import experiment\n\n\n@experiment\ndef late():\n    return use()\n\n\n"
    sources = {
        "generators/use.py": head + HOW[how],
        "generators/inner/one.py": "VALUE = 1\n\n\ndef f():\n    return VALUE\n",
        "generators/other.py": "VALUE = 1\n",
    }
    before = Digests(sources).digest_of("late")
    other = sources | {"generators/other.py": "VALUE = 2\n"}
    inner = sources["generators/inner/one.py"].replace("VALUE = 1", "VALUE = 2")
    assert Digests(sources | {"generators/inner/one.py": inner}).digest_of("late") != before
    if how != "by name":
        assert Digests(other).digest_of("late") == before


def test_a_file_that_is_no_python_counts_for_who_can_read_it() -> None:
    """A table beside the sources is a dependency of what opens files, and of nothing else."""
    source = """from pathlib import Path
from closedbook import experiment

HERE = Path(__file__).parent

@experiment
def reads():
    return {"text": (HERE / "table.csv").read_text()}

@experiment
def alone():
    return {"n": 1}
"""
    one, two = (
        Digests({"generators/a.py": source}, {"generators/table.csv": digest}) for digest in "12"
    )
    assert one.digest_of("reads") != two.digest_of("reads")
    assert one.digest_of("alone") == two.digest_of("alone")


def test_a_banks_digests_are_those_of_its_files(tmp_path: Path) -> None:
    """They can be had from a bank that was read."""
    bank, _ = bank_with(tmp_path, CARD)
    sources = {path: (tmp_path / path).read_text() for path in bank.digests if path.endswith(".py")}
    found = Digests.of_bank(bank)
    assert found.digest_of("Square") == Digests(sources).digest_of("Square")
    assert found.digest_of("Square") != found.digest_of("SquareOnCtx")
