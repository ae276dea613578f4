"""Writing a folder of files so that all of it is new or none of it."""

from __future__ import annotations

import errno
import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

from closedbook.beside import PREFIX

MANIFEST = "manifest.json"


def last_labels(folder: Path) -> list[str]:
    """The variants that the manifest in ``folder`` tells of; none where it cannot be read."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        labels = [str(entry["label"]) for entry in manifest["variants"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return []
    return [label for label in labels if label.isascii() and label.isalpha()]


class Beside:
    """A folder beside the one to be written, whose files move there together.

    A context manager. What was not moved when it ends is thrown away, so that a fault on the way
    leaves the old files as they were. Raises OSError where ``folder`` cannot be one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        if folder.exists() and not folder.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), str(folder))
        folder.parent.mkdir(parents=True, exist_ok=True)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=folder.parent))

    def __enter__(self) -> Beside:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def write(self, name: str, data: bytes | str) -> None:
        """Write one file."""
        self.write_pieces(name, [data.encode("utf-8") if isinstance(data, str) else data])

    def write_pieces(self, name: str, pieces: Iterable[bytes]) -> None:
        """Write one file that need not be in memory as a whole."""
        with (self.path / name).open("wb") as file:
            file.writelines(pieces)

    def settle(self, names: Iterable[str], stale: Iterable[str] = ()) -> list[Path]:
        """Move ``names`` into place and remove what ``stale`` names of an earlier run."""
        self.folder.mkdir(exist_ok=True)
        names = list(names)
        for name in names:  # before any is moved: all of them or none
            if (self.folder / name).is_dir():
                where = str(self.folder / name)
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), where)
        for name in names:
            (self.path / name).replace(self.folder / name)
        for name in set(stale) - set(names):
            (self.folder / name).unlink(missing_ok=True)
        return [self.folder / name for name in names]
