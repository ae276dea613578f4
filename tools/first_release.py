"""Make the fixture of the first release anew: its deck and its lock.

Until closedbook itself has been released, a change to the HTML of notes changes what the fixture's
notes hold, and the tests that ask what an update touches must start from the new text. After the
first release this is never run again: the fixture is then what learners have.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.export.anki.workbench import FIRST_RELEASE, FIRST_TIME, FIXTURES, Workbench


def main() -> None:
    """Release the fixture bank as if for the first time."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bench = Workbench(folder, folder / "receipts")
        (bench.root / "cards.lock").unlink(missing_ok=True)
        written, problems = bench.write(folder / "first.apkg", release=FIRST_TIME)
        if written is None:
            sys.exit("\n".join(map(str, problems)))
        shutil.copyfile(folder / "first.apkg", FIRST_RELEASE)
        shutil.copyfile(bench.root / "cards.lock", FIXTURES / "bank" / "cards.lock")


if __name__ == "__main__":
    main()
