"""``cards.lock``: what each note last looked like, and when it last changed.

Anki takes an incoming note for an update when its time of change is later than the one stored.
So a note's time must move exactly when the note changes: a fixed time would never deliver an
edit, the time of the build would touch every note. The lock keeps a hash of each note and the
time that goes with it; it is committed beside the cards.

The file is YAML, a line an entry, sorted, and read line by line: what a merge leaves behind
(both sides, or conflict marks) is read as well, and the next build settles it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from closedbook.problem import Place, Problem, count

NAME = "cards.lock"
LATEST = 2**32 - 1
"""The last time, in seconds, of a release. Each edit at one time adds a second to a note's."""

_HEAD = """\
# What each note of the deck last looked like (a hash), and when it last changed (seconds since
# 1970). `cards deck` keeps this file; commit it with the cards. After a merge conflict keep any
# of the lines, or all, and run `cards deck` once more.
"""
_LINE = re.compile(
    r"(?P<key>[^:#]+): (?P<hash>[0-9a-f]{16}) (?P<mod>[0-9]{1,10})"
    r"(?: (?P<origin>[a-z0-9-]+))?(?P<retired> \(retired\))?"
)
_IGNORED = ("#", "<<<<<<<", "=======", ">>>>>>>", "|||||||")


class Entry(NamedTuple):
    """A note or a note type when it last changed. ``origin`` is the card's first id, if renamed.

    A ``retired`` note keeps its hash and time: if it comes back as it was, nothing has changed.
    ``disputed`` says that a merge left several entries of one time: nobody can tell which of
    them a collection has.
    """

    hash: str
    mod: int
    origin: str | None = None
    retired: bool = False
    disputed: bool = False

    def after(self, hash: str, release: int) -> Entry:
        """The entry of the same thing now that its hash is ``hash``, released at ``release``."""
        if hash == self.hash and not self.disputed:
            return self._replace(retired=False) if self.retired else self
        return Entry(hash, max(release, self.mod + 1), self.origin)


@dataclass(frozen=True, slots=True)
class Lock:
    """The entries by key: ``linear-grad-shapes/question`` for notes, the name for note types."""

    notes: Mapping[str, Entry] = field(default_factory=dict)
    types: Mapping[str, Entry] = field(default_factory=dict)

    def text(self) -> str:
        """The file's text."""
        return "".join(self.lines())

    def lines(self) -> Iterator[str]:
        """The file's text, by and by."""
        yield _HEAD
        for entries in (self.types, self.notes):
            for key in sorted(entries):
                entry = entries[key]
                first = f" {entry.origin}" if entry.origin else ""
                retired = " (retired)" if entry.retired else ""
                yield f"{key}: {entry.hash} {entry.mod}{first}{retired}\n"


@dataclass(slots=True)
class Changes:
    """What a build changes against the lock: the notes' keys, the note types' names."""

    changed: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    retired: list[str] = field(default_factory=list)
    renamed: list[str] = field(default_factory=list)
    types: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return any((self.changed, self.new, self.retired, self.renamed, self.types))

    def __str__(self) -> str:
        """``3 notes changed, 1 new, 1 retired``."""
        parts = []
        if self.changed:
            parts.append(f"{count(len(self.changed), 'note')} changed")
        for word, keys in (("new", self.new), ("retired", self.retired), ("renamed", self.renamed)):
            if keys:
                number = f"{len(keys):,}" if parts else count(len(keys), "note")
                parts.append(f"{number} {word}")
        if self.types:
            types = count(len(self.types), "note type")
            parts.append(types if self.changed else f"{types} changed")
        return ", ".join(parts) or "nothing changed"


def read_lock(path: Path, shown: str) -> tuple[Lock, list[Problem]]:
    """The lock at ``path`` (an empty one where there is no file); ``shown`` names it in messages.

    A line that is neither an entry nor the mark of a merge conflict is a problem.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")  # an editor of Windows may begin it so
    except FileNotFoundError:
        return Lock(), []
    except (OSError, UnicodeDecodeError) as error:
        return Lock(), [Problem(Place(shown), f"cannot read the lock: {error}")]
    notes: dict[str, Entry] = {}
    types: dict[str, Entry] = {}
    problems: list[Problem] = []
    for number, line in enumerate(text.splitlines(), start=1):
        match = _LINE.fullmatch(line.rstrip())
        if match is None:
            if line.strip() and not line.startswith(_IGNORED):
                message = "this is no entry of a lock: remove the line and run `cards deck` again"
                problems.append(Problem(Place(shown, number), message, excerpt=line))
            continue
        key = match["key"]
        entry = Entry(
            match["hash"], int(match["mod"]), match["origin"], match["retired"] is not None
        )
        entries = notes if "/" in key else types
        entries[key] = _settle(entries.get(key), entry)
    return Lock(notes, types), problems


def _settle(one: Entry | None, other: Entry) -> Entry:
    """Of two entries under one key, the later; two of one time that differ are disputed."""
    if one is None or one == other:
        return other
    if one.mod == other.mod and (one.hash != other.hash or one.disputed):
        return other._replace(origin=one.origin or other.origin, disputed=True)
    return max(one, other, key=lambda entry: entry.mod)


class Locksmith:
    """Makes the next lock while the notes go by, and keeps count of what changed."""

    def __init__(self, old: Lock, release: int) -> None:
        self._old = old
        self._release = release
        self._notes: dict[str, Entry] = {}
        self._types: dict[str, Entry] = {}
        self._moved: set[str] = set()
        self.changes = Changes()

    def origin(self, card: str, kind: str, was: Sequence[str]) -> str:
        """The first id that ``card`` had, which its GUIDs are made of.

        The lock knows it; where it does not, the first of ``was`` is the oldest.
        """
        known = self._old.notes.get(f"{card}/{kind}")
        if known is not None and (known.origin or not was):
            return known.origin or card
        for name in was:
            entry = self._old.notes.get(f"{name}/{kind}")
            if entry is not None:
                return entry.origin or name
        return was[0] if was else card

    def note(self, card: str, part: str, was: Sequence[str], origin: str, hash: str) -> int:
        """The time of change of the note ``card/part`` whose hash now is ``hash``."""
        key = f"{card}/{part}"
        old = self._old.notes.get(key)
        renamed = old is None
        if old is None:
            old = self._former(part, was)
        kept = origin if origin != card or was else None
        if old is None:
            now = Entry(hash, self._release, kept)
            self.changes.new.append(key)
        else:
            now = old.after(hash, self._release)
            if old.retired:
                self.changes.new.append(key)
            elif renamed:
                self.changes.renamed.append(key)
            elif now is not old:
                self.changes.changed.append(key)
            if now.origin != kept:
                now = now._replace(origin=kept)
        self._notes[key] = now
        return now.mod

    def _former(self, part: str, was: Sequence[str]) -> Entry | None:
        """The entry of the same note under one of the ids that the card had before."""
        for name in was:
            key = f"{name}/{part}"
            if key in self._old.notes:
                self._moved.add(key)
                return self._old.notes[key]
        return None

    def note_type(self, name: str, hash: str) -> int:
        """The time of change of a note type whose hash now is ``hash``."""
        old = self._old.types.get(name)
        now = Entry(hash, self._release) if old is None else old.after(hash, self._release)
        if old is not None and now is not old:
            self.changes.types.append(name)
        self._types[name] = now
        return now.mod

    def finish(self, *, partial: bool) -> Lock:
        """The next lock. A note that did not go by is retired, but for a ``partial`` deck."""
        for key, entry in self._old.notes.items():
            if key in self._notes or key in self._moved:
                continue
            if not partial and not entry.retired:
                self.changes.retired.append(key)
                entry = entry._replace(retired=True)
            self._notes[key] = entry
        return Lock(self._notes, {**self._old.types, **self._types})
