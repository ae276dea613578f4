"""The deck as a text file with Anki's own headers.

Every cell is quoted: a row that begins with ``#`` would be taken for a comment, and a field
that begins with a quotation mark would swallow its row.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Final

from closedbook.export.anki.deck import DeckBuilder
from closedbook.export.anki.notetypes import NOTE_TYPES

_FIRST_COLUMNS: Final = ("guid", "notetype", "deck", "tags")
HEAD: Final = "#separator:tab\n"
"""What the file begins with."""
_WIDEST: Final = max(len(note_type.fields) for note_type in NOTE_TYPES)


def write(builder: DeckBuilder, path: Path) -> None:
    """Write the notes as tab-separated text.

    Note types and figures must be in the collection already: text cannot carry them.
    """
    columns = enumerate(_FIRST_COLUMNS, start=1)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(f"{HEAD}#html:true\n")
        file.writelines(f"#{name} column:{number}\n" for number, name in columns)
        rows = csv.writer(file, dialect="excel-tab", quoting=csv.QUOTE_ALL, lineterminator="\n")
        for note in builder.notes():
            fields = note.fields.split("\x1f")
            fields += [""] * (_WIDEST - len(fields))
            rows.writerow([note.guid, note.type.name, note.deck, note.tags, *fields])
