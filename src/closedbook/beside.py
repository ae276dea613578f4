"""Files that are written whole or not at all: beside their place first, then moved into it."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

PREFIX = ".closedbook-"
"""What the folders begin with that drafts are in. One that is left is of a run that was killed."""


@contextlib.contextmanager
def draft_of(path: Path) -> Iterator[Path]:
    """A path for a draft of ``path``, in the same file system; gone at the end whatever happens.

    Whoever has written the draft puts it in its place with :func:`settle`. An OSError of the
    draft's is told as one of ``path``.
    """
    folder = place_of(path).parent
    try:
        scratch = Path(tempfile.mkdtemp(prefix=PREFIX, dir=folder))
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from error
    try:
        yield scratch / "draft"
    except OSError as error:
        if error.filename is not None and Path(error.filename).is_relative_to(scratch):
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)  # why it could not be written is what matters


def settle(draft: Path, path: Path) -> None:
    """Put a file in the place of ``path``, or of what that links to; it takes the old mode."""
    place = place_of(path)
    with contextlib.suppress(OSError):
        shutil.copymode(place, draft)
    draft.replace(place)


def write_text(path: Path, text: str, *, errors: str = "strict") -> None:
    """Write a file in UTF-8, whole or not at all; its folder is made.

    What is there and no file, such as ``/dev/stdout`` or a named pipe, is written to as it is.
    Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8", errors=errors)
        return
    with draft_of(path) as draft:
        draft.write_text(text, encoding="utf-8", errors=errors)
        settle(draft, path)


def place_of(path: Path) -> Path:
    """Where a file really stands: the target of a link, so that the link stays one."""
    return path.resolve() if path.is_symlink() else path
