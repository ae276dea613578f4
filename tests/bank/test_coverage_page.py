"""docs/coverage.md against the bank."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from closedbook.commands.coverage import command

ROOT = Path(__file__).parents[2]


def test_the_page_is_current() -> None:
    """The page is what ``cards coverage --format markdown`` prints below its first lines."""
    result = CliRunner().invoke(command, ["--strict", "--format", "markdown", "--bank", str(ROOT)])
    assert result.exit_code == 0, result.output
    page = (ROOT / "docs" / "coverage.md").read_text(encoding="utf-8")
    assert page[page.index("\n## ") + 1 :] == result.output
