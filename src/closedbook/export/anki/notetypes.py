"""The note types: their names, fields and templates, and the ids that pin all of them.

Everything here is frozen. Anki tells note types, fields and templates by their ids: a field
that is added, removed or given another id later would fork the type in every collection that
has the deck ("closedbook question+") and freeze the notes in it. A new field takes the place of
a spare (only its name changes), a new kind of note is a new row with the next free id. The tests
hold the ids against a list of their own.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any, Literal

from closedbook.render.css import PYGMENTS_CSS

_IDS_PER_TYPE = 100
_FIRST_TEMPLATE = 80
_MARK = "<!-- answer -->"
_SCRIPT = re.compile(r"<!-- script: (\S+) -->")


@dataclass(frozen=True, slots=True)
class Template:
    """One card of a note type. Its text stands in ``data/<stem>.html``, both sides in one file."""

    name: str
    stem: str
    needs: tuple[str, ...]
    """The fields without which Anki makes no such card: what the asking side is conditional on."""

    @property
    def front(self) -> str:
        """The asking side, as Anki's template language has it."""
        return _sides(self.stem)[0]

    @property
    def back(self) -> str:
        """The answer side."""
        return _sides(self.stem)[1]


@dataclass(frozen=True, slots=True)
class NoteType:
    """A note type of Anki. ``fields[0]`` is never empty; ``sort`` is what the browser shows."""

    id: int
    name: str
    fields: tuple[str, ...]
    templates: tuple[Template, ...]
    sort: str
    cloze: bool = False

    def row(self, values: Mapping[str, str]) -> tuple[str, ...]:
        """The note's fields in their order, spares empty. Raises KeyError for an unknown name."""
        unknown = values.keys() - set(self.fields)
        if unknown:
            raise KeyError(f"{self.name} has no field {sorted(unknown)}")
        return tuple(values.get(name, "") for name in self.fields)

    def cards_of(self, fields: tuple[str, ...]) -> tuple[int, ...]:
        """The ordinals of the cards that Anki makes of a note that is no cloze."""
        filled = {name for name, value in zip(self.fields, fields, strict=True) if value}
        return tuple(
            ordinal
            for ordinal, template in enumerate(self.templates)
            if filled.issuperset(template.needs)
        )

    def field_id(self, index: int) -> int:
        """The pinned id of a field."""
        return self.id * _IDS_PER_TYPE + index

    def template_id(self, index: int) -> int:
        """The pinned id of a template."""
        return self.id * _IDS_PER_TYPE + _FIRST_TEMPLATE + index


def _type(
    id: int,
    name: str,
    fields: str,
    templates: tuple[Template, ...],
    sort: str,
    *,
    kind: Literal["plain", "cloze"] = "plain",
) -> NoteType:
    names = ("Id", *fields.split(), *(f"Spare {n}" for n in range(1, 5)))
    return NoteType(id, f"closedbook {name}", names, templates, sort, cloze=kind == "cloze")


QUESTION = _type(
    1785000000001,
    "question",
    "Ask Code Options Answer Typed Why Hint Evidence",
    (Template("Question", "question", ("Ask",)),),
    "Ask",
)
CLOZE = _type(
    1785000000002,
    "cloze",
    "Text Code Claims Why Hint Evidence",
    (Template("Cloze", "cloze", ("Text",)),),
    "Text",
    kind="cloze",
)
DERIVATION = _type(
    1785000000003,
    "derivation",
    "Ask Code Steps Result Why Hint Evidence",
    (Template("Derivation", "derivation", ("Ask",)),),
    "Ask",
)
STEP = _type(
    1785000000004,
    "step",
    "Ask Code Earlier Number Step Answer Why Hint Evidence",
    (Template("Step", "step", ("Step",)),),
    "Step",
)
TRAP = _type(
    1785000000005,
    "trap",
    "Ask Code Observed Fault Fix Hint Evidence",
    (
        Template("Observed", "trap-observed", ("Ask",)),
        Template("Fault", "trap-fault", ("Fault", "Observed")),
        Template("Fix", "trap-fix", ("Fix", "Code")),
    ),
    "Ask",
)
TASK = _type(
    1785000000006,
    "task",
    "Ask Code File Contract Answer Broken Why Hint Evidence",
    (Template("Task", "task", ("Ask",)),),
    "Ask",
)

NOTE_TYPES: tuple[NoteType, ...] = (QUESTION, CLOZE, DERIVATION, STEP, TRAP, TASK)
"""Every note type, in the order of their ids."""

BY_NAME = {note_type.name: note_type for note_type in NOTE_TYPES}


@functools.cache
def css() -> str:
    """The style sheet that every note type carries: the cards' own, then the code's colours."""
    return _data("card.css") + "\n" + PYGMENTS_CSS


@functools.cache
def _sides(stem: str) -> tuple[str, str]:
    text = _SCRIPT.sub(lambda match: f"<script>\n{_data(match[1])}</script>", _data(f"{stem}.html"))
    front, back = text.split(_MARK)
    return front.strip(), back.strip()


def _data(name: str) -> str:
    return resources.files(__package__).joinpath("data", name).read_text(encoding="utf-8")


def as_json(note_type: NoteType, mod: int) -> dict[str, Any]:
    """The note type as Anki's collections and packages store it (schema 11).

    ``mod`` is in seconds since 1970. The same for genanki's packages and for CrowdAnki's JSON.
    """
    return {
        "css": css(),
        "did": None,
        "flds": [_field(note_type, index) for index in range(len(note_type.fields))],
        "id": note_type.id,
        "latexPost": "\\end{document}",
        "latexPre": "\\documentclass[12pt]{article}\n\\begin{document}\n",
        "latexsvg": False,
        "mod": mod,
        "name": note_type.name,
        "req": [],
        "sortf": note_type.fields.index(note_type.sort),
        "tags": [],
        "tmpls": [_template(note_type, index) for index in range(len(note_type.templates))],
        "type": int(note_type.cloze),
        "usn": -1,
        "vers": [],
    }


def _field(note_type: NoteType, index: int) -> dict[str, Any]:
    name = note_type.fields[index]
    return {
        "name": name,
        "ord": index,
        "id": note_type.field_id(index),
        "font": "Liberation Sans",
        "size": 20,
        "sticky": False,
        "rtl": False,
        "media": [],
        "plainText": False,
        "collapsed": name.startswith("Spare"),
        "excludeFromSearch": False,
        "description": "",
    }


def _template(note_type: NoteType, index: int) -> dict[str, Any]:
    template = note_type.templates[index]
    return {
        "name": template.name,
        "ord": index,
        "id": note_type.template_id(index),
        "qfmt": template.front,
        "afmt": template.back,
        "bqfmt": "",
        "bafmt": "",
        "bfont": "",
        "bsize": 0,
        "did": None,
    }
