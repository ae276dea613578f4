"""What is read back of finished pages, and what may be wrong with it."""

from __future__ import annotations

from dataclasses import replace

import pytest
import typst

from closedbook.export.exam.readback import Printed, Promise, disagreements, read, squeeze

PRINTED = Printed("RulesQuestion1Say.Question2Why?", "", (squeeze("Variant A Page 1 of 1"),))
PROMISES = [Promise(n, card, f"Question {n}", (), ()) for n, card in ((1, "one"), (2, "two"))]


@pytest.mark.parametrize(
    ("change", "card", "says"),
    [
        ({"asked": "RoolsQuestion1Say.Question2Why?"}, None, "the first pages of paper and key"),
        ({"asked": "RulesQuestion2Why?"}, "one", "the WHICH does not print question 1 of"),
        ({"furniture": ("VariantBPage1of1",)}, None, "page 1 of the WHICH of variant A lacks"),
        ({"furniture": ("VariantAPage2of1",)}, None, "page 1 of the WHICH of variant A lacks"),
        ({"lost": ((9, "Say."),)}, "one", "'Say.' runs off its page (variant A, WHICH)"),
        ({"lost": ((25, "Why?"),)}, "two", "'Why?' runs off its page (variant A, WHICH)"),
        ({"lost": ((25, "Wh"), (26, "y?"))}, "two", "'Why?' runs off its page (variant A, WHICH)"),
        ({"lost": ((2, "Rules"),)}, None, "'Rules' runs off its page (variant A, WHICH)"),
    ],
)
@pytest.mark.parametrize("which", ["paper", "key"])
def test_what_a_page_lacks_is_found(
    which: str, change: dict[str, object], card: str | None, says: str
) -> None:
    """Other first pages, a missing question, a page without its number, a text off its page."""
    changed = replace(PRINTED, **change)  # type: ignore[arg-type] # its own fields
    pair = (changed, PRINTED) if which == "paper" else (PRINTED, changed)
    assert disagreements(PRINTED, PRINTED, "A", PROMISES) == []
    found = disagreements(*pair, "A", PROMISES)
    assert [name for name, what in found if says.replace("WHICH", which) in what][:1] == [card]


def test_a_text_that_leaves_its_page_is_read_as_lost() -> None:
    """What is set over an edge of the page is told; what stands on the page is not."""
    page = "#set page(width: 200pt, height: 200pt, margin: 20pt)\n"
    beside = "Here. #place(dx: 140pt, box(width: 300pt)[Over the edge])"
    below = "Here. #place(dy: 170pt)[Under]"
    assert read(typst.compile((page + "Here.").encode())).lost == ()
    for source, words in ((beside, "edge"), (below, "Under")):
        lost = read(typst.compile((page + source).encode())).lost
        assert words in "".join(text for _, text in lost)
        assert "Here" not in "".join(text for _, text in lost)
