"""``cards show``: one card as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from closedbook.cli import run
from tests.verify.bank import card, make_bank

VARYING = card(
    """
    vary: {n: 4..6}
    ask: How many from 1 to {{ n }}?
    answer: "{{ n - 1 }}"
    check:
      run: count
      with: {start: 1, stop: "{{ n }}"}
      expect: {n: "{{ n - 1 }}"}
    """
)


def test_a_draw_is_chosen_by_its_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of three draws there are the first to the third; the fourth is wrong usage."""
    root = make_bank(tmp_path, VARYING)
    for number, shown in ((1, "n = 4"), (3, "n = 6")):
        assert run(["show", "one", "--draw", str(number), "--bank", str(root)]) == 0
        assert f"{shown}  (one of 3 draws)" in capsys.readouterr().out
    assert run(["show", "one", "--draw", "4", "--bank", str(root)]) == 2
    assert "one has 3 draws, not 4" in capsys.readouterr().err
