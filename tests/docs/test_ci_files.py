"""The files that CI systems read from this repository."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import yaml

from closedbook.commands.verify import command

ROOT = Path(__file__).parents[2]


def read(name: str) -> Any:
    """A YAML file at the repository's root."""
    return yaml.safe_load((ROOT / name).read_text())


def test_the_action_passes_what_the_command_takes() -> None:
    """Each option that the action uses is one of the command, each input of its own is declared."""
    action = read("action.yml")
    assert action["runs"]["using"] == "composite"
    steps = action["runs"]["steps"]
    script = next(step["run"] for step in steps if step.get("name") == "Verify")
    known = {name for parameter in command.params for name in parameter.opts}
    assert set(re.findall(r"--[a-z-]+", script)) <= known
    used = set(re.findall(r"\$\{\{ inputs\.(\w+) \}\}", (ROOT / "action.yml").read_text()))
    assert used == set(action["inputs"])


def test_the_action_takes_an_empty_shard(tmp_path: Path) -> None:
    """With and without a shard, the shell calls the command as it should."""
    steps = read("action.yml")["runs"]["steps"]
    script = next(step["run"] for step in steps if step.get("name") == "Verify")
    (tmp_path / "cards").write_text('#!/bin/sh\nprintf "<%s>" "$@"\n')
    (tmp_path / "cards").chmod(0o755)
    for shard, said in (("", ""), ("1/2", "<--shard><1/2>")):
        run = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            env={
                "PATH": f"{tmp_path}:/usr/bin:/bin",
                "BANK": "my bank",
                "SHARD": shard,
                "ARGUMENTS": "-k linear",
            },
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout == f"<verify><--bank><my bank><--format><github>{said}<-k><linear>"


def test_the_hook_is_a_command_of_the_package() -> None:
    """pre-commit's hook runs on any change of a bank's files, and on nothing else."""
    [hook] = read(".pre-commit-hooks.yaml")
    assert hook["entry"] == "cards verify"
    assert not hook["pass_filenames"]
    for path in ("cards/u/a.yaml", "my/bank/generators/f.py", "exams/e.yaml"):
        assert re.search(hook["files"], path)
    for path in ("README.md", "flashcards/a.yaml", "docs/cards.md"):
        assert not re.search(hook["files"], path)
