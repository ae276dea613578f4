"""What grading is tested with: a bank of tasks, a gallery of attempts, and a class."""

from __future__ import annotations

import shutil
from pathlib import Path

BANK = Path(__file__).parent / "bank"
GALLERY = Path(__file__).parents[1] / "attempts"


def class_of_five(made: Path) -> Path:
    """Five learners: right, wrong, gone, a folder with both halves, a name full of markup."""
    shutil.copy(GALLERY / "right" / "separate.py", made / "ada.py")
    shutil.copy(GALLERY / "wrong" / "tensors_on_ctx.py", made / "bob.py")
    shutil.copy(GALLERY / "hostile" / "exits_on_import.py", made / "eve.py")
    shutil.copy(GALLERY / "right" / "einsum.py", made / "=<b>x.py")
    (made / "dan").mkdir()
    shutil.copy(GALLERY / "right" / "operators.py", made / "dan" / "linear.py")
    shutil.copy(GALLERY / "right" / "operators.py", made / "dan" / "broken.py")
    (made / "dan" / "quote.txt").write_text("none")
    (made / ".hidden.py").write_text("")
    return made
