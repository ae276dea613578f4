"""The pictures of an exam in the documentation: two pages of a paper, its key, the marking sheet.

    python tools/exam_pictures.py docs/images

Sets the bank's exam into a temporary folder and takes its pages with pdftoppm and ImageMagick.
Look at them.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

EXAM = "custom-autograd-functions"
PAGES = {
    "exam-paper-1": ("A.pdf", 1),
    "exam-paper-2": ("A.pdf", 2),
    "exam-key": ("A-key.pdf", 3),
    "exam-marking": ("marking.pdf", 1),
}
"""The pictures' names, and what they show: the key's page is that of the paper's first trap."""

DOTS_AN_INCH = 96


def main() -> None:
    """Write the pictures into the folder."""
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("folder", type=Path)
    asked.add_argument("--bank", type=Path, default=Path(), help="the bank (default: here)")
    given = asked.parse_args()
    cards = Path(sys.executable).parent / "cards"
    with tempfile.TemporaryDirectory() as scratch:
        exam = [cards, "exam", EXAM, "--bank", given.bank, "-o", scratch]
        subprocess.run(exam, check=True, timeout=600)
        for name, (pdf, page) in PAGES.items():
            _picture(Path(scratch, pdf), page, given.folder / f"{name}.png")


def _picture(pdf: Path, page: int, picture: Path) -> None:
    """One page, in few colours and with the edge of its paper."""
    one = ["-f", str(page), "-l", str(page), "-r", str(DOTS_AN_INCH), "-png"]
    taken = subprocess.run(
        ["pdftoppm", *one, pdf], check=True, capture_output=True, timeout=60
    ).stdout
    edge = ["-bordercolor", "#b0b0b0", "-border", "1"]
    few = ["+dither", "-colors", "64", "-strip"]
    subprocess.run(["convert", "png:-", *edge, *few, picture], input=taken, check=True, timeout=60)


if __name__ == "__main__":
    main()
