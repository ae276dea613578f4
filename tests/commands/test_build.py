"""``cards build``: everything, or nothing."""

from __future__ import annotations

from pathlib import Path

from tests.commands.test_cli import cards


def test_nothing_is_written_where_an_exam_cannot_be_made(tmp_path: Path) -> None:
    """Exams are planned before the deck is written, and what is wrong with each of them is told."""
    assert cards("init", "bank", cwd=tmp_path).returncode == 0
    bank = tmp_path / "bank"
    text = (bank / "exams" / "first-unit.yaml").read_text()
    for name in ("one", "two"):
        (bank / "exams" / f"{name}.yaml").write_text(text.replace("pick: 2", "pick: 50"))
    done = cards("build", cwd=bank)
    assert done.returncode == 1
    assert "exams/one.yaml:12:11: " in done.stderr
    assert "exams/two.yaml:12:11: " in done.stderr
    assert done.stderr.endswith("2 errors\n")
    assert not (bank / "cards.lock").exists()
    assert {path.name for path in (bank / "build").iterdir()}.isdisjoint({"bank.apkg", "exams"})
