"""The index of ``generators/``: what is marked, what it takes, what its source is."""

from __future__ import annotations

from closedbook.model.bank import Generator
from closedbook.source.generators import ANY, index_generators

PATH = "generators/a.py"


def index(text: str, **more: str) -> dict[str, Generator]:
    """The definitions of a file that has nothing wrong with it, and of others beside it."""
    sources = {PATH: text, **{f"generators/{name}.py": source for name, source in more.items()}}
    found, problems = index_generators(sources)
    assert problems == []
    return found


def test_marks_are_known_by_any_name_they_are_imported_under() -> None:
    """``from … import … as``, ``import closedbook`` and ``import closedbook as`` all work."""
    found = index(
        """
import closedbook
import closedbook as cb
from closedbook import experiment as trial, flawed, reference

@reference(example={"x": (3,)}, double_backward=False)
class One:
    @staticmethod
    def forward(ctx, x): ...

@closedbook.reference(example={"x": (3,)})
class Two:
    @staticmethod
    def forward(x, y=1): ...
    @staticmethod
    def setup_context(ctx, inputs, output): ...

@flawed(of=One, caught_by="three")
class Bad:
    pass

@trial
def three(function: type, value: float = 3.0): ...

@cb.experiment(isolated=True)
def four(*, times, scale=2): ...

@other
def five(): ...

class Six: ...
"""
    )
    assert {name: g.role for name, g in found.items()} == {
        "One": "reference",
        "Two": "reference",
        "Bad": "flawed",
        "three": "experiment",
        "four": "experiment",
    }
    assert found["One"].mark == {"example": "{'x': (3,)}", "double_backward": "False"}
    assert found["Bad"].mark == {"of": "One", "caught_by": "'three'"}
    assert (found["One"].parameters, found["One"].required) == (("x",), ("x",))
    assert (found["Two"].parameters, found["Two"].required) == (("x", "y"), ("x",))
    assert (found["three"].parameters, found["three"].required) == (
        ("function", "value"),
        ("function",),
    )
    assert (found["four"].parameters, found["four"].required) == (("times", "scale"), ("times",))
    assert (found["Two"].line, found["Two"].path) == (12, PATH)


def test_a_name_that_is_not_closedbooks_marks_nothing() -> None:
    """A decorator of the same name from elsewhere is another decorator."""
    assert index("from mylib import reference\n\n@reference(1)\nclass One: ...\n") == {}


def test_a_class_takes_what_an_inherited_forward_takes() -> None:
    """Bases are followed through the bank's own modules, by name or through their module."""
    base = """
class Base:
    @staticmethod
    def forward(ctx, left, right=None): ...
"""
    found = index(
        """
from closedbook import reference
from . import base as b
from .base import Base as B

@reference(example={})
class Here(B): ...

@reference(example={})
class There(b.Base):
    @staticmethod
    def setup_context(ctx, inputs, output): ...

@reference(example={})
class Unknown(Elsewhere): ...
""",
        base=base,
    )
    assert found["Here"].parameters == ("left", "right")
    assert found["There"].parameters == ("ctx", "left", "right")
    assert found["Unknown"].parameters == (ANY,)


def test_the_source_is_what_ran_without_our_marks() -> None:
    """Our decorators go, over all their lines; others, comments and blank lines stay."""
    found = index(
        '''
from closedbook import reference

# above
@keep
@reference(
    example={"x": (3,)},
)
class One(  # here
    Base,
):
    """Its docstring."""

    # inside
    def forward(ctx, x):
        return x  # "é"
    # the end

# outside
x = 1
'''
    )
    assert found["One"].source == (
        "@keep\n"
        "class One(  # here\n"
        "    Base,\n"
        "):\n"
        '    """Its docstring."""\n'
        "\n"
        "    # inside\n"
        "    def forward(ctx, x):\n"
        '        return x  # "é"\n'
        "    # the end\n"
    )


def test_a_file_that_is_no_python_does_not_hide_the_others() -> None:
    """A syntax error is a problem at its line; a file that nests too deep is one, too."""
    good = "from closedbook import experiment\n\n@experiment\ndef one(): ...\n"
    found, problems = index_generators(
        {"a.py": "def f(:\n", "b.py": good, "c.py": "x = " + "(" * 5000 + ")" * 5000}
    )
    assert list(found) == ["one"]
    assert [problem.place.path for problem in problems] == ["a.py", "c.py"]
    assert all("not Python" in problem.message for problem in problems)


def test_torch_itself_may_catch_a_flawed_function() -> None:
    """``caught_by`` names an experiment or a check of torch's; a slip of either is guessed."""
    text = "from closedbook import flawed, reference\n@reference(example={'x': (3,)})\n"
    text += "class One: ...\n"
    for check in ("gradcheck", "gradgradcheck"):
        index(f"{text}@flawed(of=One, caught_by={check!r})\nclass Bad: ...\n")
    _, problems = index_generators(
        {PATH: f"{text}@flawed(of=One, caught_by='gradchek')\nclass Bad: ...\n"}
    )
    assert [problem.message for problem in problems] == [
        "no experiment is called 'gradchek' (did you mean 'gradcheck'?)"
    ]
