"""The edge: help, exit codes, and what is not imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "pydantic", "genanki", "typst", "rich")


def cards(*words: str, cwd: Path, code: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run ``cards``, or ``code`` in its stead, in a process of its own."""
    start = [sys.executable, "-c", code] if code else [sys.executable, "-m", "closedbook"]
    return subprocess.run(
        [*start, *words],
        cwd=cwd,
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
        env=os.environ | {"COLUMNS": "80", "XDG_CACHE_HOME": str(cwd / ".cache")},
    )


def imported_by(*words: str, cwd: Path) -> set[str]:
    """The top-level modules that are loaded once ``cards WORDS`` has ended."""
    code = (
        "import sys; from closedbook.cli import run; run(sys.argv[1:]);"
        "print('LOADED', *{name.partition('.')[0] for name in sys.modules})"
    )
    done = cards(*words, cwd=cwd, code=code)
    return set(done.stdout.rpartition("LOADED ")[2].split())


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    """``cards --help`` imports neither torch nor any other large library."""
    loaded = imported_by("--help", cwd=tmp_path)
    assert "click" in loaded
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize("words", [("list",), ("show", "--help"), ("verify", "--help")])
def test_looking_at_a_bank_does_not_import_torch(words: tuple[str, ...]) -> None:
    """``cards list`` and the help of commands do not import torch."""
    loaded = imported_by(*words, cwd=ROOT)
    assert "click" in loaded
    assert "torch" not in loaded


def test_every_row_of_the_table_is_a_command(tmp_path: Path) -> None:
    """Each command of the table has a module, a help text, and options that are explained."""
    from closedbook.cli import COMMANDS

    for name in COMMANDS:
        done = cards(name, "-h", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert f"Usage: cards {name}" in done.stdout
        assert max(map(len, done.stdout.splitlines())) <= 80


def test_a_misspelt_command_names_the_right_one(tmp_path: Path) -> None:
    """``cards verfy`` exits 2 and says which command was probably meant."""
    done = cards("verfy", cwd=tmp_path)
    assert done.returncode == 2
    assert "did you mean 'verify'?" in done.stderr


def test_no_bank_is_wrong_usage(tmp_path: Path) -> None:
    """Outside a bank a command exits 2 and says how to make one."""
    done = cards("list", cwd=tmp_path)
    assert done.returncode == 2
    assert "cards init" in done.stderr


def test_a_bank_is_found_at_or_above(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest folder that holds ``cards/``, from wherever in it."""
    from closedbook.commands.common import bank_root

    (tmp_path / "a/cards/unit").mkdir(parents=True)
    (tmp_path / "a/deep/er").mkdir(parents=True)
    for inside in ("a", "a/deep/er", "a/cards/unit"):
        monkeypatch.chdir(tmp_path / inside)
        assert bank_root(None) == tmp_path / "a"


def test_our_own_bug_exits_3_and_leaves_a_log(tmp_path: Path) -> None:
    """What closedbook itself gets wrong ends with 3, one line, and a log that can be sent."""
    code = (
        "import sys; from closedbook import cli; from closedbook.commands import list as command;"
        "command.command.callback = lambda **_: 1 / 0; sys.exit(cli.run(['list']))"
    )
    done = cards(cwd=tmp_path, code=code)
    assert done.returncode == 3
    assert "Traceback" not in done.stderr
    log = tmp_path / ".cache" / "closedbook" / "error.log"
    assert str(log) in done.stderr
    assert "ZeroDivisionError" in log.read_text(encoding="utf-8")


def test_interruption_exits_130(tmp_path: Path) -> None:
    """Ctrl-C ends with 130 and no traceback."""
    code = (
        "import sys; from closedbook import cli; from closedbook.commands import list as command\n"
        "def interrupt(**_): raise KeyboardInterrupt\n"
        "command.command.callback = interrupt; sys.exit(cli.run(['list']))"
    )
    done = cards(cwd=tmp_path, code=code)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("line", "code", "said"),
    [
        ("list >&-", 0, ""),
        ("list >&- 2>&-", 0, ""),
        ("list > /dev/full", 1, "Error: No space left on device"),
        ("schema > /dev/full", 1, "Error: No space left on device"),
        ("verify -o /dev/full", 1, "Error: cannot write /dev/full: No space left on device"),
        ("list | head -1", 0, ""),
    ],
)
def test_nowhere_to_print(tmp_path: Path, line: str, code: int, said: str) -> None:
    """A closed or full output is told in a word, and is no bug of closedbook."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no device that is always full")
    assert cards("init", "bank", cwd=tmp_path).returncode == 0
    done = subprocess.run(  # the shell's redirections are what is tested
        ["bash", "-c", f"{sys.executable} -m closedbook {line}"],
        cwd=tmp_path / "bank",
        text=True,
        capture_output=True,
        timeout=120,
        check=False,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
    )
    assert (done.returncode, done.stderr.strip()) == (code, said)


def test_the_folder_is_gone(tmp_path: Path) -> None:
    """Where the folder that it runs in was deleted, a command says so."""
    code = (
        "import os; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone');"
        "from closedbook.cli import main; main(['list'])"
    )
    done = cards(cwd=tmp_path, code=code)
    assert done.returncode == 2
    assert "the folder that this runs in is gone" in done.stderr
