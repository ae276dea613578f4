"""What the foot of an answer says of a run."""

from __future__ import annotations

import pytest

from closedbook.export.anki.evidence import words
from closedbook.model.expect import Text


@pytest.mark.parametrize(
    ("matches", "said"),
    [
        (r"^TypeError: .*NoneType", "“TypeError: … NoneType”"),
        (r"input 2[\s\S]*analytical:tensor\(\[\[0\.", "“input 2 … analytical:tensor([[0.”"),
    ],
)
def test_a_regular_expression_is_shown_as_what_it_finds(matches: str, said: str) -> None:
    """No anchors, no backslashes; an ellipsis for what may stand between."""
    assert words(Text(matches=matches)) == said
