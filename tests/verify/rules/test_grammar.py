"""The table of what counts as a value: its own examples, and those of the page for readers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from closedbook.verify.rules.grammar import CODE, MATHS, PASSED_OVER, PROSE, SCANNERS, Form
from closedbook.verify.rules.values import _READINGS, _SMALL, _STRETCHES, atoms, segments

FORMS = list(dict.fromkeys((*PROSE, *CODE, *MATHS)))
PAGE = (Path(__file__).parents[3] / "docs" / "checks.md").read_text(encoding="utf-8")
COUNTS, COUNTS_NOT = re.split(
    r"### What does not\n",
    PAGE.partition("### What counts as a value\n")[2].partition("\n### An")[0],
)


def forms_of(text: str) -> set[str]:
    """The forms that a text is read as."""
    return {
        str(match.lastgroup)
        for kind, start, end in segments(text)
        for match in SCANNERS[kind].finditer(text, start, end)
    }


def name(form: Form) -> str:
    """A test's id."""
    return f"{form.name}-{form.example}"


@pytest.mark.parametrize("form", FORMS, ids=name)
def test_an_example_is_read_as_its_form_says(form: Form) -> None:
    """Each form's example is found by that form, and states what its row says, or nothing."""
    assert form.name in forms_of(form.example)
    assert tuple(row for atom in atoms(form.example) for row in atom.any_of) == form.states
    assert form.means


def test_each_form_that_states_something_has_a_reader() -> None:
    """A new row of the table is not forgotten where its matches are read."""
    read = {"number", *_READINGS, *_STRETCHES}
    assert {form.name for form in FORMS if form.states} == read
    assert not read & PASSED_OVER


def listed(text: str) -> list[str]:
    """What a row of the page's table lists in its first column, as an author writes it."""
    quoted = re.findall(r"`[^`]+`", text)
    return quoted or re.split(r", ", text.strip())


ROWS = [row.split("|")[1] for row in COUNTS.splitlines() if row.startswith("| ")][1:]


@pytest.mark.parametrize("written", [item for row in ROWS for item in listed(row)])
def test_what_the_page_lists_counts(written: str) -> None:
    """Each thing in the page's table states a value; of small words, in backticks alone."""
    bare = written.strip("`")
    assert atoms(written if bare in _SMALL else bare)


def test_what_the_page_says_counts_not_is_no_value() -> None:
    """Names, labels and words in the page's second list state nothing; lines are counted."""
    names = re.search(r"Digits within a name: (.*?)\n- ", COUNTS_NOT, re.DOTALL)
    labels = re.search(r"point somewhere: (.*?)\. \(", COUNTS_NOT, re.DOTALL)
    words = re.search(r"in any other place: (.*?)\.\n", COUNTS_NOT, re.DOTALL)
    assert names
    assert labels
    assert words
    items = [
        *(item.strip("`") for item in re.findall(r"`[^`]+`", names[1] + labels[1])),
        *re.findall(r'"([^"]+)"', words[1]),
    ]
    assert len(items) > 15
    assert [item for item in items if atoms(item)] == []


@pytest.mark.parametrize("form", [form for form in FORMS if form.name != "bulk"], ids=name)
def test_the_page_shows_each_form(form: Form) -> None:
    """No form is read of which the page says nothing: its example stands there, on its side."""
    side = COUNTS if form.states and form.name != "place" else COUNTS_NOT
    assert form.example.strip("`") in side
