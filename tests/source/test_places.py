"""Every place that a message names is where the author typed it."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from closedbook.problem import Place
from closedbook.source.places import Entry, SourceFile, SourcePart

TEXT = """- id: one
  ask: |
    First line,
      deeper `code`

    after a blank line.
  hint: >-
    folded into
    one line
  why: "a \\u00e9scape, a \\"quote\\", and a
    second line"
  title: 'it''s quoted'
  plain: goes on
    to the next
  list: [a, {b: c}]
  empty:
"""


def entry(text: str = TEXT) -> Entry:
    """The first entry of a file."""
    return Entry(SourcePart(SourceFile("cards/x.yaml", text)), (0,))


@pytest.mark.parametrize(
    ("field", "word"),
    [
        ("ask", "First"),
        ("ask", "deeper"),
        ("ask", "code"),
        ("ask", "after"),
        ("hint", "one line"),
        ("why", "quote"),
        ("why", "second"),
        ("title", "quoted"),
        ("plain", "goes"),
        ("plain", "next"),
    ],
)
def test_an_offset_into_a_text_is_found_in_the_file(field: str, word: str) -> None:
    """Indentation, folding, quotes and escapes are taken into account."""
    value = yaml.safe_load(TEXT)[0][field]
    place = entry().place((field,), offset=value.index(word))
    line = TEXT.splitlines()[place.line - 1]
    assert line[place.column - 1 :].startswith(word)


def test_a_way_that_leads_on_stops_at_the_nearest_parent() -> None:
    """A place below something that does not exist is that of what exists."""
    assert entry().place(("list", 1, "b")) == Place("cards/x.yaml", 15, 17)
    assert entry().place(("list", 7, "b")) == Place("cards/x.yaml", 15, 9)
    assert entry().place(("nothing",)) == Place("cards/x.yaml", 1, 3)
    assert entry().place(("hint",), key=True) == Place("cards/x.yaml", 7, 3)
    assert entry().place(("nothing",), key=True) == Place("cards/x.yaml", 1, 3)
    assert entry().place(("ask",), offset=10_000) == Place("cards/x.yaml", 7, 1)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends_of_any_system_count_the_same(end: str) -> None:
    """CRLF and CR move no line and no column, and do not come into an excerpt."""
    problem = entry(TEXT.replace("\n", end)).problem(("title",), "wrong")
    assert problem.place == Place("cards/x.yaml", 12, 10)
    assert problem.excerpt == "  title: 'it''s quoted'"


def test_columns_count_characters() -> None:
    """A character outside of ASCII, or outside of the first plane, is one column."""
    text = "- \U0001f600é: x\n  b: ['\U0001f600\U0001f600', here]\n"
    assert entry(text).place(("b", 1)) == Place("cards/x.yaml", 2, 13)
    assert entry(text).place(("b", 0), offset=1) == Place("cards/x.yaml", 2, 9)


STYLES = st.sampled_from(["|", ">", '"', "'", None])


@given(st.text(st.sampled_from("ab \n'\"\\é\U0001f600#:-"), max_size=40), STYLES)
@settings(max_examples=300, deadline=None)
def test_every_character_that_shows_is_found(value: str, style: str | None) -> None:
    """However a text is written, each of its characters leads to itself in the file."""
    text = yaml.dump([{"ask": value}], default_style=style, allow_unicode=True, width=20)
    part = SourcePart(SourceFile("x.yaml", text))
    read = yaml.load(text, yaml.CBaseLoader)[0]["ask"]  # noqa: S506  (the loader that makes text alone)
    assert read == value
    for offset, char in enumerate(value):
        at = part.offset_of((0, "ask"), offset=offset)
        if not char.isspace():
            assert text[at] in (char, "\\"), (text, offset, at)
        assert 0 <= at <= len(text)
