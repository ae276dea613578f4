"""Each kind of card has its row in every table of kinds."""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib import resources
from pathlib import Path
from typing import get_args

import pytest

from closedbook.export.anki.notes import NOTES
from closedbook.export.anki.notetypes import BY_NAME
from closedbook.model.blueprint import Pool
from closedbook.model.kinds import KINDS, Content, Kind
from closedbook.paper.questions import _MAKERS
from tests.model.test_texts import CASES

DOCS = Path(__file__).parents[2] / "docs"
STARTERS = resources.files("closedbook.commands") / "data" / "new"


def test_a_kind_is_called_what_its_field_says() -> None:
    """The classes of `Content` are kinds, each by the one name that its entries give."""
    assert tuple(KINDS.values()) == get_args(Content)
    for name, model in KINDS.items():
        assert issubclass(model, Kind)
        assert get_args(model.model_fields["kind"].annotation) == (name,)


@pytest.mark.parametrize(
    "table",
    [
        pytest.param(NOTES, id="notes in Anki"),
        pytest.param(_MAKERS, id="questions on a paper"),
        pytest.param(CASES, id="texts that a test reads"),
        pytest.param(
            {name.removeprefix("closedbook ") for name in BY_NAME} - {"step"}, id="note types"
        ),
        pytest.param(
            {file.name.removesuffix(".yaml") for file in STARTERS.iterdir()} - {"experiment"},
            id="cards to start from",
        ),
        pytest.param(
            re.findall(r"^### (\w+)$", (DOCS / "cards.md").read_text("utf-8"), re.MULTILINE),
            id="docs/cards.md",
        ),
    ],
)
def test_every_table_has_every_kind(table: Collection[str]) -> None:
    """No kind is missing, and none is left over."""
    assert sorted(table) == sorted(KINDS)


def test_a_blueprint_may_ask_for_every_kind() -> None:
    """A pool takes the names of kinds, and no others."""
    assert Pool(kind=tuple(KINDS)).kind == tuple(KINDS)
    with pytest.raises(ValueError, match="'question', 'cloze'"):
        Pool(kind=("no-kind",))
