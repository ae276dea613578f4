"""A release, rehearsed in the real Anki: import the old deck, study it, import the new one.

Only this module needs the ``anki`` package (``closedbook[anki]``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from anki.buildinfo import version as anki_version

from closedbook.export.anki.scratch import (
    Snapshot,
    edit_as_learner,
    import_package,
    scratch_collection,
    study,
)

_SHOWN = 8


@dataclass(slots=True)
class Rehearsal:
    """What an update does to somebody who studies the deck. Each list holds card ids.

    The lists after ``moved`` are losses; ``conflicts`` is what a learner's own edit leads to.
    """

    title: str
    updated: list[str] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    orphaned: list[str] = field(default_factory=list)
    conflicts: list[str] = field(default_factory=list)
    moved: list[str] = field(default_factory=list)
    frozen: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    overwritten: list[str] = field(default_factory=list)
    restarted: list[str] = field(default_factory=list)
    unscheduled: list[str] = field(default_factory=list)
    empty_cards: list[str] = field(default_factory=list)
    missing_media: list[str] = field(default_factory=list)
    note_types: list[str] = field(default_factory=list)
    unrelated: list[str] = field(default_factory=list)

    @property
    def losses(self) -> tuple[str, ...]:
        """Everything that a learner would lose, a sentence each; empty for a safe release."""
        return tuple(f"{words}: {_listed(ids)}" for words, ids in self._rows(_LOSSES) if ids)

    def __str__(self) -> str:
        """The report: counts and ids, then the losses or that there are none."""
        rows = [
            f"  {name:<10} {len(ids):>6}  {_listed(ids) if name != 'untouched' else ''}".rstrip()
            for name, ids in self._rows(_OUTCOMES)
        ]
        if self.losses:
            verdict = ["a learner would lose:", *(f"  {loss}" for loss in self.losses)]
        else:
            verdict = ["nothing is lost"]
        return "\n".join([self.title, *rows, *verdict])

    def _rows(self, names: Mapping[str, str]) -> Iterator[tuple[str, list[str]]]:
        return ((words, getattr(self, name)) for name, words in names.items())


_OUTCOMES = {
    name: name for name in ("updated", "untouched", "new", "orphaned", "moved", "conflicts")
}
_LOSSES = {
    "frozen": "frozen, the change does not arrive",
    "touched": "touched without a change, so that a learner's own edits would be overwritten",
    "overwritten": "a learner's own edit overwritten though the release does not change the note",
    "restarted": "another note in the place of the one that was studied",
    "unscheduled": "schedule changed or card gone",
    "empty_cards": "empty cards, which show an error",
    "missing_media": "missing figures",
    "note_types": "note types that fork or do not arrive",
    "unrelated": "everything, unless this is the deck of another bank",
}


def _listed(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(ids[:_SHOWN]) + more


def rehearse(old: Path, new: Path) -> Rehearsal:
    """Import ``old`` into a scratch collection, study it, import ``new``, and compare.

    Raises OSError where a package cannot be read.
    """
    before, after = _fresh(old), _fresh(new)
    told = Rehearsal(f"{old.name} to {new.name}, rehearsed in Anki {anki_version}")
    both = [guid for guid in before.notes if guid in after.notes]
    same = [guid for guid in both if before.notes[guid].content == after.notes[guid].content]
    changed = [guid for guid in both if before.notes[guid].content != after.notes[guid].content]
    _compare_releases(told, before, after)
    with scratch_collection() as collection:
        import_package(collection, old)
        study(collection)
        edited = same[len(same) // 2 : len(same) // 2 + 1]
        for guid in edited:
            edit_as_learner(collection, guid, before.notes[guid].mod + 1)
        studied = Snapshot.of(collection)
        import_package(collection, new)
        updated = Snapshot.of(collection)
        _compare_notes(told, changed, same, (studied, updated, after))
        _compare_rest(told, studied, updated, after)
    told.conflicts += _conflicts(old, new, changed, after)
    told.overwritten = [updated.id(guid) for guid in edited if _differs(studied, updated, guid)]
    return told


def _fresh(path: Path) -> Snapshot:
    """A package as it arrives in an empty collection."""
    with scratch_collection() as collection:
        import_package(collection, path)
        return Snapshot.of(collection)


def _differs(one: Snapshot, other: Snapshot, guid: str) -> bool:
    return guid not in other.notes or one.notes[guid].content != other.notes[guid].content


def _compare_releases(told: Rehearsal, before: Snapshot, after: Snapshot) -> None:
    """What the two packages say by themselves."""
    told.new = [after.id(guid) for guid in after.notes if guid not in before.notes]
    told.orphaned = [before.id(guid) for guid in before.notes if guid not in after.notes]
    was = {note.name: note for guid, note in before.notes.items() if guid not in after.notes}
    for guid, note in after.notes.items():
        if guid not in before.notes:
            former = was.get(note.name)
            if former is not None and former.type == note.type:
                told.restarted.append(note.name)
            continue
        former = before.notes[guid]
        if former.decks != note.decks:
            told.moved.append(note.name)
        if former.content == note.content and note.mod > former.mod:
            told.touched.append(note.name)
    if not told.restarted and before.notes.keys().isdisjoint(after.notes):
        told.unrelated = ["no note of the one is in the other"]


def _compare_notes(
    told: Rehearsal,
    changed: Sequence[str],
    same: Sequence[str],
    snapshots: tuple[Snapshot, Snapshot, Snapshot],
) -> None:
    """Whether each change arrived, and whether nothing else did."""
    studied, updated, after = snapshots
    for guid in changed:
        arrived = guid in updated.notes and (
            updated.notes[guid].content == after.notes[guid].content
        )
        (told.updated if arrived else told.frozen).append(after.id(guid))
    told.untouched = [studied.id(guid) for guid in same if not _differs(studied, updated, guid)]


def _compare_rest(told: Rehearsal, studied: Snapshot, updated: Snapshot, after: Snapshot) -> None:
    """Schedules, empty cards, figures and note types."""
    lost = (key for key, card in studied.cards.items() if updated.cards.get(key) != card)
    told.unscheduled = _names(studied, (guid for guid, _ in lost))
    if updated.reviews != studied.reviews:
        told.unscheduled.append("the review log")
    empty = set(updated.empty) - set(studied.empty)
    told.empty_cards = sorted(f"{updated.id(guid)} (card {ordinal + 1})" for guid, ordinal in empty)
    told.missing_media = sorted(set(updated.missing) - set(studied.missing))
    known = studied.types.keys() | after.types.keys()
    forks = [name for name in updated.types if name not in known]
    stale = [name for name, text in after.types.items() if updated.types.get(name) != text]
    told.note_types = [*forks, *stale]


def _names(snapshot: Snapshot, guids: Iterator[str]) -> list[str]:
    return list(dict.fromkeys(snapshot.id(guid) for guid in guids))


def _conflicts(old: Path, new: Path, changed: Sequence[str], after: Snapshot) -> list[str]:
    """A note that the release changes and that the learner edited later: whose text stays."""
    if not changed:
        return []
    guid = changed[0]
    with scratch_collection() as collection:
        import_package(collection, old)
        edit_as_learner(collection, guid, after.notes[guid].mod + 1)
        edited = Snapshot.of(collection)
        import_package(collection, new)
        kept = not _differs(edited, Snapshot.of(collection), guid)
    whose = "the learner's later edit stays" if kept else "the release's text replaces an edit"
    return [f"{after.id(guid)} ({whose})"]
