"""The pictures in the documentation show the cards as they are now."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

from closedbook.export.anki import write_deck
from closedbook.export.anki.scratch import import_package, scratch_collection
from closedbook.verify.verified import VerifiedBank
from tests.export.anki.workbench import FIRST_TIME

ROOT = Path(__file__).parents[3]
FOLDER = ROOT / "docs" / "images" / "cards"


def _tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("pictures", ROOT / "tools" / "card_pictures.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pictures_were_taken_of_the_cards_as_they_are(
    small: VerifiedBank, tmp_path: Path
) -> None:
    """The hash beside the pictures is that of what Anki renders today."""
    tool = _tool()
    deck = tmp_path / "x.apkg"
    write_deck(small, deck, lock=tmp_path / "lock", release=FIRST_TIME)
    with scratch_collection() as collection:
        import_package(collection, deck)
        now = tool.made_from(collection)
    assert (FOLDER / tool.MADE_FROM).read_text().strip() == now, (
        "the cards look different: build the deck of a copy of tests/fixtures/anki/bank, run "
        "tools/card_pictures.py on it for docs/images/cards, and look at the pictures"
    )


def test_there_is_a_picture_of_each_template_on_phone_and_desktop() -> None:
    """Eight templates, two widths; together small enough for a repository."""
    pictures = list(FOLDER.glob("*.png"))
    assert len(pictures) == 16
    assert sum(picture.stat().st_size for picture in pictures) < 3_000_000
