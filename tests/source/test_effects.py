"""What a module does beside binding names counts for its names and for whoever imports it."""

from __future__ import annotations

import pytest

from closedbook.source.digest import Digests

_REGISTRY = (
    "class Base:\n    reg = {}\n    def __init_subclass__(cls):\n        Base.reg['S'] = cls.K\n"
)
_LAZY = "T = {'K': 5}\ndef __getattr__(name):\n    return T[name]\n"
_SETUP = "K = 0\ndef setup():\n    global K\n    K = 5\nsetup()\n"
_OP = (
    "import torch\n@torch.library.custom_op('bk::foo', mutates_args=())\n"
    "def foo(x):\n    return x + 5\n"
)
_WITH = (
    "import json\nT = {}\nwith open(__file__ + '.json') as f:\n    T.update(json.load(f))\n"
    "    T.update(x=5)\n"
)
_PATH = "import sys, os\nsys.path.insert(0, os.path.dirname(__file__))\n"
_PLUGIN = "from .h import REG\n"
_TRY = "from .h import REG\ntry:\n    from . import p\nexcept ImportError:\n    pass\n"
_HINTS = "from typing import get_type_hints\nfrom .h import T\ndef f(x: 'list[T]'): ...\n"
_BOTH = "from .h import REG\nfrom . import p\n"

REACHED = {
    "a loop": ("T = []\nfor i in (5, 9):\n    T.append(i)\n", "T[0]", {}),
    "a with": (_WITH, "T['x']", {}),
    "an operator of torch's": (_OP, "torch.ops.bk.foo(1)", {}),
    "an entry of a sibling's table": (
        _BOTH, "REG['x']", {"h": "REG = {}\n", "p": _PLUGIN + "REG['x'] = 5\n"}),
    "a subclass that its base notes": (
        "from .h import Base\nfrom . import p\n", "Base.reg['S']",
        {"h": _REGISTRY, "p": "from .h import Base\nclass S(Base):\n    K = 5\n"}),
    "a subclass of a subclass": (
        "from .h import Sub\nfrom . import p\n", "Sub.reg['S']",
        {"h": _REGISTRY + "class Sub(Base):\n    K = 0\n",
         "p": "from . import h\nclass S(h.Sub):\n    K = 5\n"}),
    "a subclass that is looked for": (
        "from .h import Base\nfrom . import p\n", "Base.__subclasses__()[0].K",
        {"h": "class Base: ...\n", "p": "from .h import Base\nclass S(Base):\n    K = 5\n"}),
    "a metaclass": ("from .h import M\nclass S(metaclass=M):\n    K = 5\n", "M.seen[0]",
                    {"h": "class M(type):\n    seen = []\n"}),
    "a folder on the path": (_PATH + "import hlp\n", "hlp.K", {"hlp": "K = 5\n"}),
    "a name from a folder on the path": (_PATH + "from hlp import K\n", "K", {"hlp": "K = 5\n"}),
    "all names from a folder on the path": (
        _PATH + "from hlp import *\n", "K", {"hlp": "K = 5\n"}),
    "an import on the path, in a function": (
        _PATH + "def f():\n    import hlp\n    return hlp.K\n", "f()", {"hlp": "K = 5\n"}),
    "Python that is read": ("import os\n", "eval(open('snip.py').read())", {"snip": "5\n"}),
    "a call whose result is kept": ("T = []\n_ = T.append(5)\n", "T[0]", {}),
    "a second name": ("class A: ...\nB = A\nB.x = 5\n", "A.x", {}),
    "a second name of a list": ("A = []\nB = A\nB.append(5)\n", "A[0]", {}),
    "a second name that is added to": ("A = []\nB = A\nB += [5]\n", "A[0]", {}),
    "a module's own getattr": ("from .h import K\n", "K", {"h": _LAZY}),
    "a module's own getattr, by attribute": ("from . import h\n", "h.K", {"h": _LAZY}),
    "an import in a try": (
        _TRY, "REG['x']", {"h": "REG = {}\n", "p": _PLUGIN + "REG.update(x=5)\n"}),
    "an attribute of a sibling": (
        "from . import h, p\n", "h.K", {"h": "K = 0\n", "p": "from . import h\nh.K = 5\n"}),
    "an attribute of a library": (
        "import torch\nfrom . import p\n", "torch.zzz", {"p": "import torch\ntorch.zzz = 5\n"}),
    "an update in place": (
        _BOTH, "REG['x']", {"h": "REG = {}\n", "p": _PLUGIN + "REG |= {'x': 5}\n"}),
    "a comprehension": ("T = []\n[T.append(i) for i in (5, 9)]\n", "T[0]", {}),
    "a walrus": ("T = []\nif (n := 5):\n    T.append(n)\n", "T[0]", {}),
    "a function's own effect": (
        "T = []\ndef add(x):\n    T.append(x)\nkeep = add(5)\n", "T[0]", {}),
    "a global": (_SETUP, "K", {}),
    "a callback": ("T = []\nlast = max((5, 4), key=T.append)\n", "T[0]", {}),
    "an iterator that is read": ("I = iter((1, 2, 3))\n_ = [*I][:5]\n", "list(I)", {}),
    "a random number": ("import torch\na = torch.randn(5)\nb = torch.randn(2)\n", "b", {}),
    "a class's body": ("T = []\nclass A:\n    T.append(5)\n", "T[0]", {}),
    "a decorator in a class": (
        "T = []\ndef keep(f):\n    T.append(f)\n    return f\nclass A:\n    @keep\n"
        "    def f(self):\n        return 5\n", "T[0](None)", {}),
    "a default": ("T = []\ndef f(x=T.append(5)):\n    return x\n", "T[0]", {}),
    "a property": (
        "T = []\nclass A:\n    @property\n    def p(self):\n"
        "        T.append(5)\na = A()\nb = a.p\n",
        "T[0]", {}),
    "an annotation in quotes": (_HINTS, "get_type_hints(f)", {"h": "class T:\n    K = 5\n"}),
    "another name for an import": (
        "from importlib import import_module as get\n", "get('.h', __package__)", {"h": "K = 5\n"}),
}  # fmt: skip
"""What stands in the module, what the experiment returns, and the siblings; a 5 is edited."""


def bank(before: str, value: str, siblings: dict[str, str]) -> dict[str, str]:
    """The sources of a bank with one experiment."""
    own = (
        f"from closedbook import experiment\n{before}\n@experiment\ndef e():\n    return {value}\n"
    )
    return {"generators/e.py": own} | {f"generators/{n}.py": t for n, t in siblings.items()}


def changes(sources: dict[str, str], old: str, new: str, name: str = "e") -> bool:
    """Whether an edit changes the digest of an experiment."""
    after = {path: text.replace(old, new) for path, text in sources.items()}
    assert after != sources
    return Digests(sources).digest_of(name) != Digests(after).digest_of(name)


@pytest.mark.parametrize("how", REACHED)
def test_an_effect_is_followed(how: str) -> None:
    """Whatever a module does when it is imported is a dependency."""
    assert changes(bank(*REACHED[how]), "5", "6")


QUIET = {
    "a constant": "OTHER = 5\n",
    "a container": "OTHER = {'a': [5, (1, 2)], **{}}\n",
    "a call": "import torch, re\nOTHER = re.compile('5'), torch.tensor([5.0]).double()\n",
    "a table that is filled": "OTHER = {}\nOTHER['x'] = 5\nOTHER.update(y=5)\n",
    "a loop": "OTHER = []\nfor i in range(5):\n    OTHER.append(i * 2)\n",
    "a function": "from functools import cache\n@cache\ndef other(x: int = 5):\n    return x\n",
    "a class": "class Other:\n    K = 5\n    @property\n    def p(self):\n        return self.K\n",
    "a subclass": "class A: ...\nclass B(A):\n    K = 5\n",
    "an attribute": "class A: ...\nA.x = 5\n",
    "a function that is called": "def make(n):\n    t = []\n    for i in range(n):\n"
    "        t.append(i)\n    return t\nOTHER = make(5)\n",
    "records": "from dataclasses import dataclass\n@dataclass\nclass R:\n    x: int\n"
    "OTHER = [R(5), R(2)]\n",
    "a table from a file": "import json\nfrom pathlib import Path\n"
    "OTHER = json.loads(Path(__file__).with_name('t.json').read_text())[5]\n",
    "a library that may be missing": "try:\n    import fast5 as fast\nexcept ImportError:\n"
    "    fast = None\n",
    "a branch": "import sys\nif sys.version_info >= (3, 5):\n    OTHER = 1\nelse:\n    OTHER = 2\n",
    "a text": "OTHER = 1\n'''It is 5.'''\n",
}


@pytest.mark.parametrize("how", QUIET)
def test_what_only_binds_names_counts_for_these(how: str) -> None:
    """An experiment that does not use a name does not depend on what binds it."""
    assert not changes(bank(QUIET[how], "1", {}), "5", "6")


def test_a_table_that_is_filled_counts_for_who_uses_it() -> None:
    """Each entry of a table of the module's own is a dependency of the table's users."""
    for how in ("a table that is filled", "a loop", "a function that is called", "records"):
        assert changes(bank(QUIET[how], "OTHER", {}), "5", "6")


@pytest.mark.parametrize(
    "value", ["numpy.genfromtxt('generators/d.csv')", "run(['cat', 'd.csv'])", "look('d', '.csv')"]
)
def test_a_file_that_is_named_counts_for_who_names_it(value: str) -> None:
    """A text that holds a data file's name, or its ending, is a sign that it is read."""
    sources = bank("", value, {})
    one, two = (Digests(sources, {"generators/d.csv": digest}) for digest in "12")
    assert one.digest_of("e") != two.digest_of("e")


def test_sources_count_as_text_only_for_who_may_read_them() -> None:
    """Who reads a table does not depend on the Python beside it."""
    sources = bank("", "open('d.csv').read()", {"other": "K = 5\n"})
    assert not changes(sources, "K = 5", "K = 6")


def test_modules_that_import_each_other() -> None:
    """A circle of imports is judged like any other."""
    h = "from . import e\nX = 5\nY = [X]\n"
    sources = bank("from .h import Y\nZ = Y\n", "Z", {"h": h})
    assert changes(sources, "X = 5", "X = 6")
    assert not changes(bank("from .h import Y\n", "1", {"h": h}), "X = 5", "X = 6")
