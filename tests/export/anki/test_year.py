"""A year of releases: random edits between a bank and a collection that somebody studies."""

from __future__ import annotations

import random
import re
import shutil
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from anki.collection import Collection
from anki.decks import DeckConfigId
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from closedbook.export.anki.scratch import (
    Snapshot,
    edit_as_learner,
    import_package,
    scratch_collection,
    study,
)
from tests.export.anki.workbench import Workbench

ROUNDS = 50
WORDS = ["tensor", "graph", "node", "saved", "leaf", "hook", "view", "stride", "shape", "engine"]

UNIT = """\
title: A year
deck: Year
subdecks: {one: One}
outcomes: {know: Know it., use: Use it.}
"""


@dataclass
class Model:
    """A card of the bank as the test knows it; ``text`` is all that differs between releases."""

    kind: str
    words: list[str]
    file: str
    tags: list[str] = field(default_factory=list)
    was: list[str] = field(default_factory=list)
    retired: bool = False
    figure: bool = False
    guid: str | None = None

    def yaml(self, id: str) -> str:
        """The card's entry."""
        text = " ".join(self.words)
        lines = [f"- id: {id}", f"  kind: {self.kind}", "  outcome: know"]
        if self.tags:
            lines.append(f"  tags: [{', '.join(self.tags)}]")
        if self.was:
            lines.append(f"  was: [{', '.join(self.was)}]")
        if self.retired:
            lines.append("  retired: true")
        if self.kind == "cloze":
            lines += [
                f"  text: Of all {{{{c1::words}}}} there is {{{{c2::{text}}}}}.",
                f"  claims: [{{say: {text}, unchecked: a word}}]",
            ]
        else:
            shown = " ![A figure](figure.svg)" if self.figure else ""
            lines += [f"  ask: Which word?{shown}", f"  answer: {text}", "  unchecked: a word"]
        return "\n".join(lines) + "\n"


class Year(RuleBasedStateMachine):
    """Edits the bank, releases it, imports the release, and checks what became of each note."""

    store: Path

    @initialize(seed=st.integers(0, 2**20))
    def start(self, seed: int) -> None:
        """A bank of a few cards, released, imported and studied."""
        self.random = random.Random(seed)  # noqa: S311 - it picks files, no secrets
        self.folder = Path(tempfile.mkdtemp())
        self.context = scratch_collection()
        self.collection: Collection = self.context.__enter__()
        _without_leeches(self.collection)
        self.bench = _bank(self.folder, self.store)
        self.cards = {
            f"card-{n}": Model(kind, ["tensor", WORDS[n]], "one" if n % 2 else "two", figure=n == 0)
            for n, kind in enumerate(["question", "question", "cloze", "question", "cloze"])
        }
        self.figure = 0
        self.learner: dict[str, tuple[str, ...]] = {}
        self.known: dict[str, object] = {}
        self.release()
        study(self.collection)

    def teardown(self) -> None:
        """Close Anki and remove the folder."""
        if hasattr(self, "context"):
            self.context.__exit__(None, None, None)
            shutil.rmtree(self.folder)

    def _pick(self, n: int) -> str:
        return sorted(self.cards)[n % len(self.cards)]

    @rule(n=st.integers(0, 99), word=st.sampled_from(WORDS))
    def edit(self, n: int, word: str) -> None:
        """A card's text changes."""
        self.cards[self._pick(n)].words.append(word)

    @rule(n=st.integers(0, 99))
    def revert(self, n: int) -> None:
        """A card's text goes back to what it was."""
        words = self.cards[self._pick(n)].words
        del words[1:]

    @rule(n=st.integers(0, 99), tag=st.sampled_from(["easy", "hard"]))
    def retag(self, n: int, tag: str) -> None:
        """A tag comes or goes."""
        tags = self.cards[self._pick(n)].tags
        tags.remove(tag) if tag in tags else tags.append(tag)

    @rule(n=st.integers(0, 99), new=st.integers(0, 999))
    def rename(self, n: int, new: int) -> None:
        """A card gets another id and says what it was."""
        old = self._pick(n)
        if f"renamed-{new}" not in self.cards and not self.cards[old].retired:
            model = self.cards.pop(old)
            model.was = [*model.was, old]
            self.cards[f"renamed-{new}"] = model

    @rule(n=st.integers(0, 99))
    def retire(self, n: int) -> None:
        """A card is retired, or comes back."""
        model = self.cards[self._pick(n)]
        model.retired = not model.retired

    @rule(n=st.integers(0, 999), kind=st.sampled_from(["question", "cloze"]))
    def add(self, n: int, kind: str) -> None:
        """A new card, in front or behind."""
        self.cards.setdefault(f"new-{n}", Model(kind, ["new"], self.random.choice(["one", "two"])))

    @rule(n=st.integers(0, 99))
    def move(self, n: int) -> None:
        """A card moves to another file, which is another deck."""
        model = self.cards[self._pick(n)]
        model.file = "two" if model.file == "one" else "one"

    @rule()
    def redraw(self) -> None:
        """The figure changes under its name."""
        self.figure += 1

    @rule(n=st.integers(0, 99))
    def learner_edits(self, n: int) -> None:
        """The learner adds a remark to a note."""
        found = Snapshot.of(self.collection)
        guid = sorted(found.notes)[n % len(found.notes)]
        edit_as_learner(self.collection, guid, self.bench.time + 1)
        self.learner[guid] = Snapshot.of(self.collection).notes[guid].fields

    @rule()
    def learner_studies(self) -> None:
        """The learner answers cards."""
        study(self.collection)

    @invariant()
    def release(self) -> None:
        """Release, import, and hold what came against what was promised."""
        if not hasattr(self, "cards"):
            return
        self._write()
        deck = self.folder / "deck.apkg"
        self.bench.release(deck)
        with scratch_collection() as fresh:
            import_package(fresh, deck)
            promised = Snapshot.of(fresh)
        before = Snapshot.of(self.collection)
        import_package(self.collection, deck)
        after = Snapshot.of(self.collection)
        for key, card in before.cards.items():
            assert after.cards[key] == card, "a schedule changed"
        assert after.reviews == before.reviews
        for guid, note in promised.notes.items():
            if self._changed(guid, promised):
                self.learner.pop(
                    guid, None
                )  # a later release of the same note wins, as Anki has it
            if guid not in self.learner:
                assert after.notes[guid].content == note.content, "an edit did not arrive"
        for guid, fields in self.learner.items():
            assert after.notes[guid].fields == fields, "a learner's own edit was overwritten"
        assert not after.empty
        assert not after.missing
        names = {note.name: guid for guid, note in promised.notes.items()}
        for name, model in self.cards.items():
            if not model.retired:
                assert names[name] == (model.guid or names[name]), "a rename lost the note"
                model.guid = names[name]
                self._look_at_figure(after, model)

    def _look_at_figure(self, after: Snapshot, model: Model) -> None:
        """The figure in Anki is the one in the bank."""
        if model.figure and model.guid not in self.learner:
            shown = re.search(r'src="([^"]+)"', after.notes[model.guid].fields[1])
            file = Path(self.collection.media.dir(), shown[1])
            assert f"<title>{self.figure}</title>" in file.read_text(), "an old figure stayed"

    def _changed(self, guid: str, promised: Snapshot) -> bool:
        """Whether this release holds another note than the last one that had it."""
        known = self.known.get(guid)
        self.known[guid] = promised.notes[guid].content
        return known is not None and known != promised.notes[guid].content

    def _write(self) -> None:
        """The model as the bank's files."""
        for name in ("one", "two"):
            entries = [m.yaml(card) for card, m in sorted(self.cards.items()) if m.file == name]
            self.bench.path(f"{name}.yaml").write_text("\n".join(entries) or "[]\n")
        self.bench.path("figure.svg").write_text(
            f'<svg xmlns="http://www.w3.org/2000/svg"><title>{self.figure}</title></svg>'
        )


def _without_leeches(collection: Collection) -> None:
    """Anki tags a card that fails often, at the time of now: to it, an edit by the learner."""
    preset = collection.decks.get_config(DeckConfigId(1))
    preset["lapse"]["leechFails"] = 9999
    collection.decks.update_config(preset)


def _bank(folder: Path, store: Path) -> Workbench:
    """A bank without generators, so that a year takes seconds."""
    source = folder / "source"
    unit = source / "cards" / "autograd"
    unit.mkdir(parents=True)
    (source / "cards" / "bank.yaml").write_text("id: year\ntitle: Year\n")
    (unit / "unit.yaml").write_text(UNIT)
    return Workbench(folder, store, source)


@pytest.mark.filterwarnings("ignore::hypothesis.errors.NonInteractiveExampleWarning")
def test_a_year_of_releases_loses_nothing(store: Path) -> None:
    """Over 50 rounds of edits every edit arrives, and no schedule or learner's edit is lost."""
    machine = type("YearWithStore", (Year,), {"store": store})
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=4,
            stateful_step_count=ROUNDS,
            deadline=None,
            derandomize=True,
            phases=[Phase.generate],  # a failing year takes too long to shrink
            suppress_health_check=list(HealthCheck),
        ),
    )
