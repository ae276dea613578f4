"""Code is cut into the pieces that Pygments itself finds, only sooner."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pygments.lexer import Lexer, RegexLexer, default
from pygments.lexers import get_lexer_by_name
from pygments.token import Error, Keyword, Name, String

import closedbook
from closedbook.render import lexing
from closedbook.render.code import pieces

COMBINED = ("python", "pytb", "java", "diff", "latex", "html", "go", "haskell")
AS_THEY_ARE = ("toml", "c", "cpp", "pycon", "console", "bash", "yaml", "json", "csharp", "text")
SOURCES = sorted(Path(closedbook.__file__).parent.joinpath("render").rglob("*.py"))
TEXT = st.text(alphabet="abT_ 01\n\t\"'`\\{}[]()<>#$%&*+-/=.,:;!?@^|~é→\x00", max_size=80)


def by_pygments(language: str, code: str) -> list[tuple[str, str]]:
    """The pieces by Pygments' own loop."""
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    found = lexer.get_tokens_unprocessed(code)
    return [(lexing.class_of(kind), value) for _, kind, value in found]


def ours(language: str, code: str) -> list[tuple[str, str]]:
    """The pieces by one expression a state."""
    lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    return list(lexing.pieces(lexer, code))


@pytest.mark.parametrize("language", [*COMBINED, *AS_THEY_ARE])
@given(code=TEXT)
def test_any_text_is_cut_as_pygments_cuts_it(language: str, code: str) -> None:
    """Strings that never end, strange characters, ends of lines: piece by piece the same."""
    assert ours(language, code) == by_pygments(language, code)


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.name)
def test_real_python_is_cut_as_pygments_cuts_it(path: Path) -> None:
    """Whole modules of this program, with f-strings, docstrings and match statements."""
    code = path.read_text(encoding="utf-8")
    assert ours("python", code) == by_pygments("python", code)


@pytest.mark.parametrize(
    ("languages", "combined"), [(COMBINED, True), (AS_THEY_ARE, False)], ids=["fast", "plain"]
)
def test_the_usual_languages_take_the_fast_way(languages: tuple[str, ...], combined: bool) -> None:
    """Python is among those whose rules are tried at once; the tests above see both ways."""
    for language in languages:
        lexer = get_lexer_by_name(language)
        assert lexing.is_combined(lexer) is combined, language


class Stacked(RegexLexer):
    """Every way to go from state to state, and a class of token that is no standard one."""

    tokens: ClassVar = {
        "root": [(r"<", Name, "in"), (r">", Error, "#pop"), (r"2", Keyword, ("in", "in"))],
        "in": [
            (r"<", Keyword.Own, "#push"),
            (r">", Keyword, "#pop"),
            (r"!", String, ("#pop", "#pop", "#pop")),
            (r"-", String, "#pop:2"),
            (r"\+", String, ("#push", "last")),
            (r"[a-z]", Name.Own.Kind),
        ],
        "last": [(r"9", Keyword, "#pop:9"), (r"x", Keyword, ("#pop", "#push")), default("#pop")],
    }


class Commented(RegexLexer):
    """Rules with comments: what is put behind one would be a part of it."""

    flags = re.VERBOSE
    tokens: ClassVar = {"root": [(r"a  # the first", Name), (r"b  # the next", Keyword)]}


def cut(lexer: Lexer, code: str) -> list[tuple[str, str]]:
    """The pieces of a lexer's own loop."""
    return [(lexing.class_of(kind), value) for _, kind, value in lexer.get_tokens_unprocessed(code)]


@given(code=st.text(alphabet="<>!-+29xab\n", max_size=30))
def test_states_are_left_and_entered_as_pygments_does(code: str) -> None:
    """Pushes, pops of more than there are, several at once; the last state stays."""
    assert list(lexing.pieces(Stacked(), code)) == cut(Stacked(), code)
    assert lexing.is_combined(Stacked())


def test_rules_with_comments_are_left_as_they_are() -> None:
    """A lexer whose rules cannot be put together is run by Pygments."""
    assert not lexing.is_combined(Commented())
    assert list(lexing.pieces(Commented(), "ab")) == [("n", "a"), ("k", "b")]


def test_a_class_of_its_own_is_shown_as_the_next_general_one() -> None:
    """``Name.Own.Kind`` has no short class: a name's is taken."""
    assert lexing.class_of(Name.Own.Kind) == "n"
    assert lexing.class_of(Keyword.Constant) == "kc"


def test_an_argument_is_not_coloured_as_a_builtin() -> None:
    """``input`` as a parameter is a name like any other; ``len`` beside it is built in."""
    code = "def forward(input, weight):\n    return input.mm(weight), len(input)\n"
    kinds = {value: kind for kind, value in pieces(code, "python")}
    assert (kinds["input"], kinds["weight"], kinds["len"]) == ("n", "n", "nb")
    assert dict(map(reversed, pieces("x = input()\n", "python")))["input"] == "nb"


def test_code_that_does_not_parse_is_coloured_as_pygments_does() -> None:
    """An ellipsis of an author's, half a class: nothing is known of its names."""
    kinds = {value: kind for kind, value in pieces("def forward(input, …\n", "python")}
    assert kinds["input"] == "nb"
