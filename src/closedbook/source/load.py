"""A bank's folder to a :class:`~closedbook.model.bank.Bank`."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from closedbook.model.bank import Bank, Blueprint, Card, Unit
from closedbook.model.blueprint import BlueprintInfo
from closedbook.model.kinds import KINDS, Kind
from closedbook.model.unit import BankInfo, UnitInfo
from closedbook.problem import Place, Problem, did_you_mean
from closedbook.source.crosscheck import crosscheck
from closedbook.source.files import BankFiles, UnitFiles, bank_files, relative
from closedbook.source.generators import doubtful_names, index_generators
from closedbook.source.messages import MERGE, problems_of
from closedbook.source.places import Entry, SourceFile
from closedbook.source.quick import uncollected
from closedbook.source.read import read_list, read_mapping
from closedbook.source.text import MAX_BYTES, read_text

_IDS = re.compile(r"""^(?:- +)? *id *: *["']?([\w-]+)""", re.MULTILINE)
"""What may be the id of a card, in a file whose YAML is broken."""

M = TypeVar("M", bound=BaseModel)


def load_bank(root: Path, *, drawn: bool = True) -> tuple[Bank | None, list[Problem]]:
    """Read the bank in ``root``: every file, and every mistake in them.

    The bank holds what could be read; it is None where there is no ``cards/bank.yaml`` to go by.
    Nothing of the bank is run or imported. Never raises for what the files hold. Without
    ``drawn``, what only a draw of a card shows is left to who draws it next: a verify of the
    whole bank would find it all again.
    """
    if not (root / "cards").is_dir():
        return None, [Problem(Place("cards"), "there is no folder 'cards' here: this is no bank")]
    with uncollected():
        loader = _Loader(bank_files(root), drawn)
        bank = loader.load()
    return bank, sorted(loader.problems, key=lambda problem: problem.place)


class _Loader:
    """The state of one reading: problems and digests gather as files go by."""

    def __init__(self, files: BankFiles, drawn: bool) -> None:
        self.files = files
        self.drawn = drawn
        self.problems: list[Problem] = list(files.problems)
        self.digests: dict[str, str] = {}
        self.unread: set[str] = set()
        self.unread_units: set[str] = set()

    def load(self) -> Bank | None:
        files = self.files
        named = files.root / "cards/bank.yaml"
        if files.info is None and not (named.is_symlink() or named.is_dir()):
            place = Place("cards/bank.yaml")
            self.problems.append(Problem(place, "there is no bank.yaml (id, title, language)"))
        info = self._mapping(files.info, BankInfo, "the bank") if files.info else None
        sources = {}
        for path in files.generators:
            text = self._text(path)
            if text is not None:
                sources[relative(path, files.root)] = text
        for path in files.data:
            self.digests[relative(path, files.root)] = _digest_of_file(path)
        generators, problems = index_generators(sources)
        self.problems += problems
        doubtful = doubtful_names(sources) if problems else frozenset()
        units: list[Unit] = []
        cards: list[Card] = []
        for unit_files in files.units:
            self._unit(unit_files, units, cards)
        blueprints = [self._blueprint(path) for path in files.exams]
        if not cards and not self.problems:
            self.problems.append(Problem(Place("cards"), "the bank has no cards"))
        bank = Bank(
            root=files.root,
            info=info[0] if info else BankInfo(id="unknown", title="unknown"),
            units=tuple(units),
            cards=tuple(cards),
            blueprints=tuple(b for b in blueprints if b is not None),
            generators=generators,
            digests=self.digests,
            doubtful=doubtful,
            unread=frozenset(self.unread),
            unread_units=frozenset(self.unread_units),
        )
        # Without a `bank.yaml`, or where names are in doubt, nobody will come to draw them.
        drawn = self.drawn or info is None or bool(doubtful)
        self.problems += crosscheck(bank, drawn=drawn)
        return bank if info else None

    def _text(self, path: Path) -> str | None:
        name = relative(path, self.files.root)
        text, data, problems = read_text(path, name)
        self.problems += problems
        self.digests[name] = hashlib.sha256(data).hexdigest()
        return text

    def _mapping(self, path: Path, model: type[M], subject: str) -> tuple[M, Entry] | None:
        text = self._text(path)
        if text is None:
            return None
        reading = read_mapping(SourceFile(relative(path, self.files.root), text))
        self.problems += reading.problems
        for data, entry in reading.items:
            content = self._validate(model, data, entry, subject)
            if content is not None:
                return content, entry
        return None

    def _validate(self, model: type[M], data: Any, entry: Entry, subject: str) -> M | None:
        try:
            return model.__pydantic_validator__.validate_python(data)  # type: ignore[no-any-return]  # it is of `model`
        except ValidationError as error:
            self.problems += problems_of(error, data, model, entry, subject)
            return None

    def _unit(self, files: UnitFiles, units: list[Unit], cards: list[Card]) -> None:
        found = None
        if files.info is not None:
            found = self._mapping(files.info, UnitInfo, f"unit '{files.name}'")
        if found is not None:
            unit = Unit(files.name, *found)
            units.append(unit)
        else:
            self.unread_units.add(files.name)
            # Its cards are still looked through; only what hangs on the unit cannot be checked.
            origin = Entry.nowhere(f"cards/{files.name}/unit.yaml")
            unit = Unit(
                files.name, UnitInfo.model_construct(title="", deck="", outcomes={}), origin
            )
        for path in files.cards:
            text = self._text(path)
            if text is None:
                self.unread.update(_ids_in(path))
                continue
            reading = read_list(SourceFile(relative(path, self.files.root), text))
            self.problems += reading.problems
            if reading.problems:
                self.unread.update(_IDS.findall(text))
            folder = path.parent
            for data, entry in reading.items:
                content = self._card(data, entry)
                if content is not None:
                    cards.append(Card(unit, content, entry, folder))

    def _card(self, data: Any, entry: Entry) -> Any:
        content = self._content(data, entry)
        if content is None:
            # The id may itself be what is wrong, or stand behind a misspelt name.
            self.unread.update(
                str(value)
                for name, value in data.items()
                if name == "id" or name not in Kind.model_fields
            )
        return content

    def _content(self, data: Any, entry: Entry) -> Any:
        kind = data.get("kind")
        model = KINDS.get(kind) if isinstance(kind, str) else None
        name = data.get("id")
        named = f" {name!r}" if isinstance(name, str) and name else ""
        if model is not None:
            return self._validate(model, data, entry, f"{kind}{named}")
        names = ", ".join(KINDS)
        if "kind" not in data:
            self.problems.append(_without_kind(data, entry, named))
        elif isinstance(kind, str) and kind:
            message = f"unknown kind {kind!r}{did_you_mean(kind, KINDS) or f': one of {names}'}"
            self.problems.append(entry.problem(("kind",), message))
        else:
            self.problems.append(entry.problem(("kind",), f"a kind is one of {names}"))
        return None

    def _blueprint(self, path: Path) -> Blueprint | None:
        found = self._mapping(path, BlueprintInfo, f"exam '{path.stem}'")
        return None if found is None else Blueprint(path.stem, *found)


def _ids_in(path: Path) -> list[str]:
    """The ids in a card file whose text nobody can use, as far as they can be seen."""
    try:
        data = path.read_bytes() if path.is_file() and path.stat().st_size <= MAX_BYTES else b""
    except OSError:
        return []
    return _IDS.findall(data.replace(b"\0", b"").decode("utf-8", "replace"))


def _digest_of_file(path: Path) -> str:
    """The SHA-256 (hex) of a file that only the generators read; of nothing, where it cannot be."""
    try:
        if path.is_file():  # to open a pipe would wait for ever
            with path.open("rb") as file:
                return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        pass  # whoever reads it will tell
    return hashlib.sha256().hexdigest()


def _without_kind(data: Any, entry: Entry, named: str) -> Problem:
    if "<<" in data:
        return entry.problem(("<<",), MERGE, key=True)
    strange = [str(key) for key in data if key not in Kind.model_fields]
    near = next((key for key in strange if did_you_mean(key, ["kind"])), None)
    if near is not None:
        message = f"unknown field {near!r} in card{named} (did you mean 'kind'?)"
        return entry.problem((near,), message, key=True)
    return entry.problem((), f"card{named} has no 'kind': one of {', '.join(KINDS)}")
