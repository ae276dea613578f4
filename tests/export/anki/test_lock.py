"""The lock: times of change move exactly when notes change, and merges are settled."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closedbook.export.anki.lock import LATEST, Entry, Lock, Locksmith, read_lock

A, B, C = "a" * 16, "b" * 16, "c" * 16


def build(lock: Lock, notes: dict[str, str], release: int) -> tuple[Lock, dict[str, int], str]:
    """A build of question notes ``id -> hash``: the next lock, each note's time, what changed."""
    smith = Locksmith(lock, release)
    mods = {card: smith.note(card, "question", (), card, text) for card, text in notes.items()}
    new = smith.finish(partial=False)
    return new, mods, str(smith.changes)


def read(tmp_path: Path, text: str) -> Lock:
    """The lock of a text that must hold no mistake."""
    path = tmp_path / "cards.lock"
    path.write_text(text, encoding="utf-8")
    lock, problems = read_lock(path, "cards.lock")
    assert problems == []
    return lock


def test_a_note_keeps_its_time_until_it_changes() -> None:
    """Of two notes one is edited: its time is the release's, the other's stays."""
    first, _, said = build(Lock(), {"one": A, "two": A}, 100)
    assert said == "2 notes new"
    _, mods, said = build(first, {"one": A, "two": B}, 200)
    assert mods == {"one": 100, "two": 200}
    assert said == "1 note changed"


def test_a_note_that_goes_back_to_an_old_text_still_gets_a_later_time() -> None:
    """A reverted edit must arrive as any edit does."""
    lock, _, _ = build(Lock(), {"one": A}, 100)
    lock, _, _ = build(lock, {"one": B}, 200)
    _, mods, _ = build(lock, {"one": A}, 300)
    assert mods == {"one": 300}


def test_an_edit_in_the_same_second_gets_a_later_time() -> None:
    """Two releases at one time, as under SOURCE_DATE_EPOCH, still differ for Anki."""
    lock, _, _ = build(Lock(), {"one": A}, 100)
    _, mods, _ = build(lock, {"one": B}, 100)
    assert mods == {"one": 101}


def test_what_changed_is_said_in_one_line() -> None:
    """``3 notes changed, 1 new, 1 retired``."""
    lock, _, _ = build(Lock(), dict.fromkeys(["a", "b", "c", "d"], A), 100)
    lock, _, said = build(lock, {"a": B, "b": B, "c": B, "e": A}, 200)
    assert said == "3 notes changed, 1 new, 1 retired"
    assert lock.notes["d/question"] == Entry(A, 100, retired=True)
    _, _, said = build(lock, {"a": B, "b": B, "c": B, "e": A}, 300)
    assert said == "nothing changed"


@pytest.mark.parametrize(("text", "mod"), [(A, 100), (B, 300)])
def test_a_note_that_comes_back_from_retirement_changed_only_if_its_text_did(
    text: str, mod: int
) -> None:
    """Who edited it meanwhile keeps the edit where the card returns as it was."""
    lock, _, _ = build(Lock(), {"one": A}, 100)
    lock, _, _ = build(lock, {}, 200)
    lock, mods, said = build(lock, {"one": text}, 300)
    assert mods == {"one": mod}
    assert said == "1 note new"
    assert not lock.notes["one/question"].retired


def test_the_file_reads_back_as_it_was_written(tmp_path: Path) -> None:
    """Writing and reading a lock gives the same lock."""
    lock = Lock(
        {
            "a/question": Entry(A, 5),
            "b/step.2": Entry(B, 6, "old"),
            "c/trap": Entry(A, 7, "old", retired=True),
        },
        {"closedbook trap": Entry(C, 8)},
    )
    assert read(tmp_path, lock.text()) == lock


CONFLICT = f"""\
# cards
<<<<<<< ours
one/question: {A} 200
=======
one/question: {B} 300
>>>>>>> theirs
two/question: {A} 100
"""


@pytest.mark.parametrize(("merged", "mod"), [(B, 300), (A, 500), (C, 500)])
def test_a_merge_conflict_is_settled_by_the_next_build(
    tmp_path: Path, merged: str, mod: int
) -> None:
    """Both sides of a conflict are read; only the text that went out last keeps its time."""
    lock = read(tmp_path, CONFLICT)
    new, mods, _ = build(lock, {"one": merged, "two": A}, 500)
    assert mods == {"one": mod, "two": 100}
    assert "<<<" not in new.text()


def test_two_branches_released_in_one_second_are_told_apart(tmp_path: Path) -> None:
    """Where a collection may hold either text under one time, the note gets a new time."""
    lock = read(tmp_path, f"one/question: {A} 200\none/question: {B} 200\n")
    assert build(lock, {"one": A}, 100)[1] == {"one": 201}
    assert build(lock, {"one": B}, 100)[1] == {"one": 201}


def test_another_systems_line_ends_and_mark_are_read(tmp_path: Path) -> None:
    """A lock that went through an editor of Windows is the same lock."""
    path = tmp_path / "cards.lock"
    lock = Lock({"card/question": Entry("0" * 16, 7)}, {"closedbook question": Entry("1" * 16, 8)})
    path.write_bytes(b"\xef\xbb\xbf" + lock.text().replace("\n", "\r\n").encode())
    assert read_lock(path, "cards.lock") == (lock, [])


def test_a_time_beyond_all_times_is_a_problem(tmp_path: Path) -> None:
    """Anki could not hold it, and no learner would ever edit later."""
    path = tmp_path / "cards.lock"
    path.write_text(f"card/question: {'0' * 16} 99999999999\n")
    lock, problems = read_lock(path, "cards.lock")
    assert not lock.notes
    assert len(problems) == 1


def test_a_line_that_is_no_entry_is_a_problem_at_its_line(tmp_path: Path) -> None:
    """``cards.lock:2: this is no entry …``."""
    path = tmp_path / "cards.lock"
    path.write_text(f"a/question: {A} 5\na/question: tomorrow\n", encoding="utf-8")
    _, problems = read_lock(path, "cards.lock")
    assert [str(problem.place) for problem in problems] == ["cards.lock:2"]


def origin_of(lock: Lock, card: str, was: tuple[str, ...]) -> str:
    """The first card of a question card."""
    return Locksmith(lock, 1).origin(card, "question", was)


def test_a_chain_of_renames_leads_to_the_first_id() -> None:
    """A became b became c: whichever way the author lists them, the note is a's."""
    lock = Lock({"a/question": Entry(A, 1)})
    for card, was in (("b", ("a",)), ("c", ("b",)), ("d", ("c", "b"))):
        smith = Locksmith(lock, 2)
        assert smith.origin(card, "question", was) == "a"
        smith.note(card, "question", was, "a", A)
        lock = smith.finish(partial=False)
        assert set(lock.notes) == {f"{card}/question"}
    assert origin_of(lock, "d", ("c", "b")) == "a"
    assert origin_of(Lock(), "d", ("a", "b", "c")) == "a", "without a lock the first is the oldest"


def test_a_rename_and_back_is_the_same_note() -> None:
    """A became b became a."""
    lock = Lock({"a/question": Entry(A, 1)})
    for card, was in (("b", ("a",)), ("a", ("b",)), ("a", ("b",))):
        smith = Locksmith(lock, 2)
        assert smith.origin(card, "question", was) == "a"
        smith.note(card, "question", was, "a", A)
        lock = smith.finish(partial=False)


@given(
    st.lists(
        st.tuples(
            st.dictionaries(st.sampled_from("abcdef"), st.sampled_from([A, B, C])),
            st.integers(0, 50),
        ),
        max_size=12,
    )
)
def test_a_time_moves_exactly_when_the_note_does(
    builds: list[tuple[dict[str, str], int]],
) -> None:
    """Over any builds, clocks that go back among them: same text same time, else a later one."""
    lock = Lock()
    last: dict[str, tuple[str | None, int]] = {}  # the text and time that went out last
    for notes, release in builds:
        lock, mods, _ = build(lock, notes, release)
        for card, text in notes.items():
            old_text, old_mod = last.get(card, (None, -1))
            assert (mods[card] == old_mod) if text == old_text else (mods[card] > old_mod)
        last = {**last, **{card: (notes[card], mods[card]) for card in notes}}


def test_a_time_after_the_last_release_reads_back(tmp_path: Path) -> None:
    """An edit of a note of the last second there is: what is written can be read again."""
    lock, _, _ = build(Lock(), {"one": A}, LATEST)
    lock, mods, _ = build(lock, {"one": B}, LATEST)
    assert mods == {"one": LATEST + 1}
    assert read(tmp_path, lock.text()) == lock
