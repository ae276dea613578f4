"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from closedbook.beside import draft_of, settle, write_text


def test_a_file_is_written_and_nothing_stays_beside_it(tmp_path: Path) -> None:
    """The folder is made, the text is there, and no draft is left."""
    write_text(tmp_path / "out" / "report.xml", "höchst\n")
    assert (tmp_path / "out" / "report.xml").read_text(encoding="utf-8") == "höchst\n"
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["report.xml"]


def test_the_old_file_stays_where_the_new_one_fails(tmp_path: Path) -> None:
    """A text that cannot be encoded leaves the file as it was, and no draft."""
    path = tmp_path / "report.xml"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "half of it \ud800")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_not_settled_is_gone(tmp_path: Path) -> None:
    """A draft that nobody puts in its place leaves nothing, be it a file or a folder."""
    for make in (lambda draft: draft.write_text("x"), lambda draft: draft.mkdir()):
        with draft_of(tmp_path / "deck") as draft:
            make(draft)
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    """The file that a link leads to is replaced, in its own folder."""
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "deck", tmp_path / "link"
    target.write_text("old")
    link.symlink_to(target)
    write_text(link, "new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert list((tmp_path / "there").iterdir()) == [target]


def test_a_file_keeps_its_mode(tmp_path: Path) -> None:
    """Who could not read the old file cannot read the new one; a first one is as any other."""
    path, plain = tmp_path / "grades.csv", tmp_path / "plain"
    path.write_text("old")
    path.chmod(0o600)
    write_text(path, "new")
    assert path.stat().st_mode & 0o777 == 0o600
    plain.write_text("")
    write_text(tmp_path / "first", "")
    assert (tmp_path / "first").stat().st_mode == plain.stat().st_mode


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    """A draft's name does not grow with the file's."""
    path = tmp_path / ("x" * 255)
    write_text(path, "text")
    assert path.read_text() == "text"


def test_a_pipe_is_written_to_as_it_is(tmp_path: Path) -> None:
    """What is no file is not replaced by one."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    listener = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    listener.start()
    write_text(pipe, "told")
    listener.join(timeout=30)
    assert heard == ["told"]
    assert pipe.is_fifo()


def test_an_error_names_the_file_and_not_its_draft(tmp_path: Path) -> None:
    """Where a draft cannot be made or moved, the message speaks of the file that was asked for."""
    path = tmp_path / "none" / "deck"
    with pytest.raises(OSError, match="No such file") as caught, draft_of(path):
        pass
    assert caught.value.filename == str(path)
    with pytest.raises(OSError, match="No such file") as caught, draft_of(tmp_path / "x") as draft:
        settle(draft, tmp_path / "x")  # nobody wrote it
    assert caught.value.filename == str(tmp_path / "x")
