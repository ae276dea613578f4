"""Cloze gaps as they are written, ``{{c1::text::hint}}``: Anki makes a card of each number."""

from __future__ import annotations

import re

GAP = re.compile(r"\{\{c(\d+)::")
"""The opening of a gap, and its number."""

ANY_GAP = re.compile(r"\{\{c(\d+(?:,\d+)*)::")
"""The same, and an opening of several numbers, ``{{c1,2::``, which is a mistake here."""

HIGHEST = 500
"""Anki makes no card for a higher number."""

NO_GAP = "a cloze text needs a gap: write {{c1::…}} around what is asked for"
