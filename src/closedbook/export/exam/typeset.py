"""Papers, keys and marking sheets, set by Typst with the figures and fonts of a bank."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from closedbook.export.exam.guards import Mark, tall_pieces
from closedbook.render.typst.compiler import Compiler, template


class Typesetter(Compiler):
    """The compiler of one of the two templates, for a bank."""

    def __init__(self, bank: Path, name: Literal["paper", "marking"] = "paper") -> None:
        super().__init__(template("closedbook.export.exam", f"{name}.typ"), fonts=bank / "fonts")
        self._bank = bank

    def add_figures(self, names: Iterable[str]) -> None:
        """Copy figures of the bank, named from its folder, to where the compiler sees them."""
        for name in names:
            target = self.folder / name
            if not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(self._bank / name, target)

    def paper(self, text: str, size: str) -> tuple[bytes, list[Mark]]:
        """The PDF of a paper's or a key's data, as JSON, and its marks; ``size`` is the paper's.

        A piece that is taller than a page is let break where pieces meet.
        """
        pdf, marks = self.pdf(text), self.marks()
        if tall := tall_pieces(marks, size):
            pdf, marks = self.pdf({**json.loads(text), "loose": tall}), self.marks()
        return pdf, marks

    def marks(self) -> list[Mark]:
        """The marks of the last paper or key."""
        (values,) = self.query("marks")
        return [Mark(v["card"], v["what"], v["edge"], v["page"], v["y"]) for v in values]
