"""Banks with mistakes that no checked-in file can hold: links, encodings, permissions."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

CARD = """- id: linear-shapes
  kind: question
  outcome: derive-linear-shapes
  ask: Which shape has `grad_weight`?
  answer: "`grad_weight` is (3, 4)."
  check:
    run: LinearFunction
    with:
      input: (5, 4)
      weight: (3, 4)
    expect:
      grad_weight.shape: (3, 4)
"""


def _cards(root: Path, data: bytes) -> None:
    (root / "cards/linear/cards.yaml").write_bytes(data)


def _misspelt(text: str) -> str:
    return text.replace("answer:", "awnser:").replace("Which shape", "Wëlche 😀 shape")


def not_utf8(root: Path) -> None:
    """Latin-1, with an umlaut in the answer."""
    _cards(root, CARD.replace("is (3", "wäre (3").encode("latin-1"))


def utf16(root: Path) -> None:
    """What an editor of another system saves."""
    _cards(root, CARD.encode("utf-16"))


def byte_order_mark(root: Path) -> None:
    """A mark that counts as no column, before a mistake on the first line."""
    _cards(root, b"\xef\xbb\xbf" + CARD.replace("- id:", "- Id:").encode())


def carriage_returns(root: Path) -> None:
    """CRLF ends do not move lines or columns, nor come into an excerpt."""
    _cards(root, _misspelt(CARD).replace("\n", "\r\n").encode())


def nul(root: Path) -> None:
    """A NUL in the middle."""
    _cards(root, CARD.replace("Which", "Wh\0ch").encode())


def deep_lists(root: Path) -> None:
    """10,000 levels in one line."""
    _cards(root, b"- " * 10_000 + b"x\n")


def deep_brackets(root: Path) -> None:
    """10,000 open brackets."""
    _cards(root, CARD.encode() + b"  tags: " + b"[" * 10_000 + b"]" * 10_000 + b"\n")


def deep_mappings(root: Path) -> None:
    """Nested by indentation."""
    lines = (" " * (4 + level) + "a:\n" for level in range(2_000))
    _cards(root, (CARD + "  vary:\n" + "".join(lines)).encode())


def link_out_of_the_bank(root: Path) -> None:
    """A card file, a figure's folder and the bank's own file that lie elsewhere."""
    outside = root.parent / f"{root.name}-outside"
    outside.mkdir(exist_ok=True)
    (outside / "cards.yaml").write_text(CARD)
    (root / "cards/linear/cards.yaml").symlink_to(outside / "cards.yaml")
    (root / "cards/linear/more").symlink_to(outside)
    (root / "cards/linear/lost.yaml").symlink_to(outside / "nothing.yaml")
    (root / "exams").mkdir()
    (root / "exams/loop.yaml").symlink_to("loop.yaml")


def exams_are_a_link(root: Path) -> None:
    """A whole folder that lies elsewhere."""
    outside = root.parent / "exams-outside"
    outside.mkdir()
    (root / "exams").symlink_to(outside)
    _cards(root, CARD.encode())


def name_is_no_text(root: Path) -> None:
    """A file whose name is bytes of another encoding."""
    folder = os.fsencode(root / "cards/linear")
    Path(os.fsdecode(folder + b"/m\xe4rz.yaml")).write_text("- id: [")
    _cards(root, CARD.encode())


def no_bank_file(root: Path) -> None:
    """Without its permanent id a bank cannot be used; its cards are still looked through."""
    (root / "cards/bank.yaml").unlink()
    _cards(root, _misspelt(CARD).encode())


def no_unit_file(root: Path) -> None:
    """A folder of cards that says nothing of itself."""
    (root / "cards/linear/unit.yaml").unlink()
    _cards(root, _misspelt(CARD).encode())


def no_cards(root: Path) -> None:
    """A bank of units alone."""


def no_bank_at_all(root: Path) -> None:
    """A folder without ``cards/``."""
    (root / "cards").rename(root / "kards")


def stray_card_file(root: Path) -> None:
    """A card file beside bank.yaml."""
    (root / "cards/stray.yaml").write_text(CARD)
    _cards(root, CARD.encode())


def special_file(root: Path) -> None:
    """A pipe would wait for ever."""
    os.mkfifo(root / "cards/linear/cards.yaml")


def unreadable(root: Path) -> None:
    """A card file and a folder without the right to read them."""
    _cards(root, CARD.encode())
    (root / "cards/linear/cards.yaml").chmod(0)
    (root / "exams").mkdir()
    (root / "exams").chmod(0)


def duplicate_id_in_two_files(root: Path) -> None:
    """The second file in the order of names is told, with the place of the first."""
    _cards(root, CARD.encode())
    (root / "cards/linear/more.yaml").write_text("# more\n" + CARD)


def folders_like_files(root: Path) -> None:
    """Folders where files are looked for, with and without other cards beside them."""
    (root / "cards/bank.yaml").rename(root / "cards/linear/notes.txt")
    for name in ("cards/bank.yaml", "cards/linear/x.yaml", "cards/v/unit.yaml", "exams/e.yml"):
        (root / name).mkdir(parents=True)
    (root / "generators/more.py").mkdir()
    (root / "cards/w/unit.yaml").mkdir(parents=True)
    (root / "cards/w/cards.yaml").write_text(CARD)


def control_characters_in_a_path(root: Path) -> None:
    """A folder's name with a line end and an escape in it is told in one line."""
    folder = root / "cards/two\nlines \x1b[31m"
    folder.mkdir()
    (folder / "cards.yaml").write_text("- id: [")


BUILDERS: dict[str, Callable[[Path], None]] = {
    builder.__name__.replace("_", "-"): builder
    for builder in (
        not_utf8, utf16, byte_order_mark, carriage_returns, nul, deep_lists, deep_brackets,
        deep_mappings, link_out_of_the_bank, exams_are_a_link, name_is_no_text, no_bank_file,
        no_unit_file, no_cards, no_bank_at_all, stray_card_file, special_file, unreadable,
        duplicate_id_in_two_files, folders_like_files, control_characters_in_a_path,
    )
}  # fmt: skip
