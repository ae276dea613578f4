"""The deck as the folder that the CrowdAnki add-on imports: ``deck.json`` and ``media/``.

A bank whose decks have several roots becomes one such folder for each root.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from closedbook.export.anki import presets
from closedbook.export.anki.deck import DeckBuilder
from closedbook.export.anki.identity import uuid_of
from closedbook.export.anki.media import MEDIA_PREFIX
from closedbook.export.anki.notetypes import NoteType, as_json
from closedbook.export.anki.package import Deck, Note

_DECK = "deck.json"


@dataclass(slots=True)
class _Node:
    """A deck and those below it. ``deck`` is None for a level that the bank does not name.

    ``path`` is its full name, ``name`` the last part of it.
    """

    path: str
    name: str
    deck: Deck | None = None
    notes: list[Note] = field(default_factory=list)
    children: dict[str, _Node] = field(default_factory=dict)

    def walk(self) -> Iterable[_Node]:
        yield self
        for child in self.children.values():
            yield from child.walk()


def write(builder: DeckBuilder, path: Path) -> None:
    """Write the folder ``path``."""
    root = _Node("", "")
    for note in builder.notes():
        _node(root, note.deck).notes.append(note)
    for deck in builder.decks():
        _node(root, deck.name).deck = deck
    single = len(root.children) == 1
    path.mkdir()
    for name, node in sorted(root.children.items()):
        folder = path if single else path / uuid_of("root", name)[:8]
        folder.mkdir(exist_ok=True)
        text = json.dumps(_top(builder, node), ensure_ascii=False, indent=2, sort_keys=True)
        (folder / _DECK).write_text(text + "\n", encoding="utf-8")
        _copy_media(builder.media(), node, folder / "media")


def is_deck(folder: Path) -> bool:
    """Whether a folder is one that :func:`write` made, whatever else it holds by now."""
    return any(folder.glob(_DECK)) or any(folder.glob(f"*/{_DECK}"))


def move_into(draft: Path, folder: Path) -> None:
    """Move what :func:`write` made into the deck's folder that is there.

    Figures come first, for the deck names them, and those that no deck names any more go last.
    What the folder holds beside the deck (its history in Git, a README) stays.
    """
    files = [path.relative_to(draft) for path in draft.rglob("*") if path.is_file()]
    for file in sorted(files, key=lambda file: file.name == _DECK):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (draft / file).replace(folder / file)
    for media in {(folder / file).parent / "media" for file in files if file.name == _DECK}:
        for old in media.glob(f"{MEDIA_PREFIX}*"):
            if old.relative_to(folder) not in files:
                old.unlink()


def _node(root: _Node, name: str) -> _Node:
    node = root
    for part in name.split("::"):
        path = f"{node.path}::{part}" if node.path else part
        node = node.children.setdefault(part, _Node(path, part))
    return node


def _top(builder: DeckBuilder, node: _Node) -> dict[str, Any]:
    """A root deck, with the note types and presets of everything below it."""
    types = {note.type for each in node.walk() for note in each.notes}
    used = {each.deck.preset for each in node.walk() if each.deck is not None}
    configs = [json_ for number, json_ in sorted(builder.presets.items()) if number in used]
    return _deck(builder, node) | {
        "note_models": [
            _model(note_type, builder.types[note_type])
            for note_type in sorted(types, key=lambda note_type: note_type.id)
        ],
        "deck_configurations": [*map(_config, [presets.DEFAULT_JSON, *configs])],
    }


def _deck(builder: DeckBuilder, node: _Node) -> dict[str, Any]:
    deck = node.deck or Deck(0, node.path)
    media = builder.media()
    return {
        "__type__": "Deck",
        "crowdanki_uuid": uuid_of("deck", builder.bank.info.id, deck.name),
        "deck_config_uuid": uuid_of("preset", str(deck.preset)),
        "name": node.name,
        "desc": deck.description,
        "dyn": 0,
        "extendNew": 0,
        "extendRev": 50,
        "md": True,
        "media_files": [name for name in media if _uses(node, name)],
        "children": [_deck(builder, child) for _, child in sorted(node.children.items())],
        "notes": [_note(note) for note in node.notes],
    }


def _note(note: Note) -> dict[str, Any]:
    return {
        "__type__": "Note",
        "guid": note.guid,
        "fields": note.fields.split("\x1f"),
        "tags": note.tags.split(),
        "note_model_uuid": _model_uuid(note.type),
    }


def _model(note_type: NoteType, mod: int) -> dict[str, Any]:
    left_out = {"id", "did", "mod", "usn"}
    kept = {key: value for key, value in as_json(note_type, mod).items() if key not in left_out}
    return kept | {"__type__": "NoteModel", "crowdanki_uuid": _model_uuid(note_type)}


def _model_uuid(note_type: NoteType) -> str:
    return uuid_of("note type", note_type.name)


def _config(preset: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in preset.items() if key not in {"id", "mod", "usn"}}
    uuid = uuid_of("preset", str(preset["id"]))
    return kept | {"__type__": "DeckConfig", "crowdanki_uuid": uuid}


def _uses(node: _Node, name: str) -> bool:
    return any(f'"{name}"' in note.fields for note in node.notes)


def _copy_media(media: Mapping[str, Path], node: _Node, folder: Path) -> None:
    for name, path in media.items():
        if any(_uses(each, name) for each in node.walk()):
            folder.mkdir(exist_ok=True)
            shutil.copyfile(path, folder / name)
