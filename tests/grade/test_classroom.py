"""A folder of attempts: who handed in what."""

from __future__ import annotations

import shutil
from pathlib import Path

from closedbook.grade import handed_in
from closedbook.grade.text.attempt import read_attempt
from tests.grade.material import GALLERY


def test_who_handed_in_what(folder: Path) -> None:
    """Files and folders are attempts; hidden ones are not."""
    found = {given.name: given for given in handed_in(folder, "linear.py")}
    assert sorted(found) == ["=<b>x", "ada", "bob", "dan", "eve"]
    assert found["dan"].attempt.name == "linear.py"
    assert found["dan"].broken is not None
    assert found["dan"].quote == "none"


def test_no_two_learners_go_by_one_name(tmp_path: Path) -> None:
    """A file and a folder of one name, and names that read the same, are told apart."""
    (tmp_path / "ada").mkdir()
    for name in ("ada.py", "ada/linear.py", "e ve.py", "e\nve.py", "bob.py"):
        (tmp_path / name).write_text("x = 1")
    names = [given.name for given in handed_in(tmp_path, "linear.py")]
    assert sorted(names) == ["ada.py", "ada/", "bob", "e ve.py", "e\\nve.py"]


def test_a_link_to_a_folder_is_an_attempt_that_cannot_be_read(tmp_path: Path) -> None:
    """A learner whose folder is a link is in the table, and nothing behind the link is read."""
    (tmp_path / "other").mkdir()
    shutil.copy(GALLERY / "right" / "separate.py", tmp_path / "other" / "linear.py")
    (tmp_path / "class").mkdir()
    (tmp_path / "class" / "mallory").symlink_to(tmp_path / "other")
    (tmp_path / "class" / "round").symlink_to("round")
    (given,) = handed_in(tmp_path / "class", "linear.py")
    assert given.name == "mallory"
    assert "symbolic link" in read_attempt(given.attempt).fault
