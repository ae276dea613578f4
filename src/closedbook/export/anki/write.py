"""Writing a deck: the file and its lock, both or neither."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from closedbook.beside import draft_of, settle
from closedbook.export.anki import crowdanki, tsv
from closedbook.export.anki.deck import DeckBuilder
from closedbook.export.anki.drafts import Progress
from closedbook.export.anki.lock import LATEST, NAME, Changes, Lock, read_lock
from closedbook.export.anki.pace import Pace, paces
from closedbook.export.anki.package import Package
from closedbook.export.anki.selection import Selection
from closedbook.export.anki.store import Store
from closedbook.model.bank import Bank
from closedbook.problem import Place, Problem, has_errors
from closedbook.verify.verified import VerifiedBank

Format = Callable[[DeckBuilder, Path], None]
"""Writes the builder's notes to a path that does not exist yet."""


@dataclass(frozen=True, slots=True)
class Written:
    """What became of a deck. ``changes`` is against the lock as it was."""

    path: Path
    notes: int
    cards: int
    changes: Changes
    paces: tuple[Pace, ...]
    """How fast to learn, for each unit with an exam date."""


def release_time() -> int:
    """``SOURCE_DATE_EPOCH`` where it is set, else now, in seconds since 1970.

    Raises ValueError where the variable is no whole number above 0, or one of milliseconds.
    """
    stated = os.environ.get("SOURCE_DATE_EPOCH")
    if stated is None:
        return int(time.time())
    if not stated.strip().isdecimal() or not 0 < int(stated) <= LATEST:
        raise ValueError(f"SOURCE_DATE_EPOCH is {stated!r}, not a number of seconds since 1970")
    return int(stated)


def write_apkg(builder: DeckBuilder, path: Path) -> None:
    """Anki's package."""
    Package(
        builder.notes(), builder.types, builder.decks, builder.presets, builder.media
    ).write_to_file(path)


FORMATS: Mapping[str, tuple[str, Format]] = {
    "apkg": (".apkg", write_apkg),
    "tsv": (".tsv", tsv.write),
    "crowdanki": ("", crowdanki.write),
}
"""Each way out: the ending of its file's name (a folder has none), and what writes it."""

_HEADS = (b"PK", tsv.HEAD.encode())
"""What a deck that is one file begins with: a slip of the pen must not cost a file of cards."""


def write_deck(
    verified: VerifiedBank,
    path: Path,
    *,
    lock: Path | None = None,
    locked: bool = False,
    only: Selection | None = None,
    format: str = "apkg",
    release: int | None = None,
    store: Path | None = None,
    progress: Progress | None = None,
) -> tuple[Written | None, list[Problem]]:
    """Write the deck of a verified bank to ``path`` and bring its lock up to date.

    ``lock`` is ``cards.lock`` in the bank's folder where left out; ``store`` is a file that keeps
    rendered notes from one build to the next (none where left out); ``progress`` is told of the
    cards that are done. With ``locked`` a lock that is out of date is a problem. Nothing is
    written where there is an error. Raises OSError where a file cannot be written, or ``path``
    is something that a deck must not replace.
    """
    _check_replaceable(path, folder=not FORMATS[format][0])
    place = lock or verified.bank.root / NAME
    old, problems = read_lock(place, place.name)
    if has_errors(problems):
        return None, problems
    release = release_time() if release is None else release
    builder = DeckBuilder(verified, old, release, only, Store(store), progress)
    path.parent.mkdir(parents=True, exist_ok=True)
    with draft_of(path) as draft:
        FORMATS[format][1](builder, draft)
        problems += builder.problems
        new = builder.next_lock()
        if locked and (mistake := _out_of_date(old, new, builder.changes)):
            problems.append(Problem(Place(place.name), mistake))
        problems += _gone(builder.changes, verified.bank, place.name)
        if has_errors(problems):
            return None, problems
        if new == old and place.exists():
            _replace(draft, path)
        else:
            with draft_of(place) as new_lock:
                # First of all: a lock that cannot be written leaves the old deck.
                with new_lock.open("w", encoding="utf-8") as file:
                    file.writelines(new.lines())
                _replace(draft, path)
                settle(new_lock, place)
    written = Written(
        path,
        builder.note_count,
        sum(builder.cards_of_unit.values()),
        builder.changes,
        paces(verified.bank, builder.cards_of_unit, release),
    )
    return written, problems


def _out_of_date(old: Lock, new: Lock, changes: Changes) -> str:
    """Why the lock is not the one that goes with the cards; empty where it is."""
    if new == old:
        return ""
    keys = [*changes.changed, *changes.new, *changes.retired, *changes.renamed, *changes.types]
    shown = ", ".join(keys[:5]) + (f" and {len(keys) - 5} more" if len(keys) > 5 else "")
    why = f"{changes} ({shown})" if keys else "a merge left it unsettled"
    return f"the lock is out of date: {why}; run `cards deck` and commit {NAME}"


def _gone(changes: Changes, bank: Bank, lock: str) -> list[Problem]:
    """A warning for each card that left the bank without a word: most often it was renamed."""
    cards = dict.fromkeys(key.partition("/")[0] for key in changes.retired)
    return [
        Problem(
            Place(lock),
            f"card {card!r} was in the last deck and is not in the bank: say 'was: [{card}]' on "
            "the card that it became, or bring it back with 'retired: true'",
            severity="warning",
        )
        for card in cards
        if bank.card(card) is None
    ]


def _check_replaceable(path: Path, *, folder: bool) -> None:
    """Raise OSError where a deck at ``path`` would take the place of something else.

    A folder is shared with what its owner keeps there, once it is a deck's; a file is replaced
    where it is a deck, or empty.
    """
    if not path.exists():
        return
    if not folder:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "that is a folder, name a file in it", str(path))
        if not path.is_file():
            raise FileExistsError(errno.EEXIST, "that is no ordinary file", str(path))
        with path.open("rb") as file:
            head = file.read(max(map(len, _HEADS)))
        if head and not head.startswith(_HEADS):
            raise FileExistsError(
                errno.EEXIST, "that is no deck, remove it first or name a new file", str(path)
            )
    elif not path.is_dir():
        raise NotADirectoryError(errno.ENOTDIR, "that is a file, and a folder is wanted", str(path))
    elif any(path.iterdir()) and not crowdanki.is_deck(path):
        raise FileExistsError(
            errno.EEXIST, "the folder holds other things than a deck, name a new one", str(path)
        )


def _replace(draft: Path, path: Path) -> None:
    """Put the draft in the place of ``path``; a folder's files into the folder that is there."""
    if draft.is_dir() and path.exists():
        crowdanki.move_into(draft, path)
    else:
        settle(draft, path)
