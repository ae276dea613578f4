"""What the documentation shows is run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.docs.blocks import PAGES, ROOT, Block, blocks_of, missing_lines, starts_empty, steps_of

CONSOLE = [page for page in PAGES if blocks_of(page, "console")]
YAML = [block for page in PAGES for block in blocks_of(page, "yaml")]
PYTHON = [block for page in PAGES for block in blocks_of(page, "python")]
UNIT = Path("cards/custom-autograd-functions")


@pytest.fixture(scope="session")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the example bank with the receipts of one whole verify, to be copied again."""
    folder = tmp_path_factory.mktemp("example")
    for name in ("cards", "generators", "exams"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    done = _run("cards verify", folder)
    assert done.returncode == 0, done.stdout
    return folder


def _run(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """A line of a page, in bash."""
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=_environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
        check=False,
    )


def _environment() -> dict[str, str]:
    """The commands of this environment first; a terminal of 80 columns without colours."""
    tools = str(Path(sys.executable).parent)
    return os.environ | {
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "80",
        "NO_COLOR": "1",
    }


@pytest.mark.parametrize("page", CONSOLE, ids=lambda page: page.name)
def test_commands_of_a_page_do_what_it_shows(
    page: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """Every command of a page ends as the page says and prints the lines that the page shows."""
    if not starts_empty(page):
        shutil.copytree(request.getfixturevalue("example"), tmp_path, dirs_exist_ok=True)
    here, faults = tmp_path, []
    for block in blocks_of(page, "console"):
        for step in steps_of(block):
            if step.command.startswith("cd "):
                here = (here / step.command[3:].strip()).resolve()
                continue
            if step.command.split()[0] in ("git", "make", "pip", "pipx"):
                continue  # set-up: `make` is what runs this test, the wheel has a check of its own
            done = subprocess.run(
                ["bash", "-c", step.command],
                cwd=here,
                env=_environment(),
                text=True,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=300,
                check=False,
            )
            if done.returncode != step.exit:
                faults.append(
                    f"{block.where}: `{step.command}` ended with {done.returncode}, "
                    f"not {step.exit}:\n{done.stdout}"
                )
            elif missing := missing_lines(step.shown, done.stdout):
                faults.append(
                    f"{block.where}: `{step.command}` does not print {missing}, but:\n{done.stdout}"
                )
    assert not faults, "\n\n".join(faults)


def test_numbers_of_the_pages_are_those_of_the_program() -> None:
    """Each limit and default that a page states in words is the one that the program has."""
    from closedbook.commands.preview import command as preview
    from closedbook.grade import AttemptLimits
    from closedbook.model.claim import DEFAULT_TIMEOUT
    from closedbook.model.kinds import Question
    from closedbook.verify.options import WALK_LIMIT

    limits, mib = AttemptLimits(), 1 << 20
    assert limits.wall == limits.cpu
    port = next(option.default for option in preview.params if option.name == "port")
    difficulty = Question.model_fields["difficulty"].default
    variants = Question.model_fields["deck_variants"].default
    stated = {
        "grading.md": [
            f"{limits.cpu} s of wall and CPU time for one group of questions",
            f"{limits.total:g} s for an attempt, {limits.memory // mib} MiB beyond what torch",
            f"{limits.file // mib} MiB a file, {2 * limits.file // mib} MiB and",
            f"{limits.output // mib} MiB printed",
            f"{limits.processes} processes or threads",
        ],
        "checks.md": [f"at most {WALK_LIMIT:,} draws", f"Of a larger one {WALK_LIMIT:,} are taken"],
        "cards.md": [
            f"seconds until the run is ended ({DEFAULT_TIMEOUT:g})",
            f"1 to 5 ({difficulty} if left out)",
            f"how many fixed draws of a varying card the deck carries ({variants})",
        ],
        "preview.md": [f"serves on that port ({port})"],
    }
    for page, sentences in stated.items():
        text = " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())
        assert [sentence for sentence in sentences if sentence not in text] == [], page


@pytest.mark.parametrize("block", YAML, ids=lambda block: block.where)
def test_yaml_of_a_page_is_yaml(block: Block) -> None:
    """Every YAML block of the documentation can be read."""
    yaml.load(block.body, Loader=yaml.CBaseLoader)  # noqa: S506 - BaseLoader makes only text


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.where)
def test_python_of_a_page_is_python(block: Block) -> None:
    """Every Python block of the documentation compiles."""
    compile(block.body, block.where, "exec")


def test_cards_of_the_pages_hold(example: Path, tmp_path: Path) -> None:
    """Every whole card that the documentation shows loads in the example bank and verifies."""
    shutil.copytree(example, tmp_path, dirs_exist_ok=True)
    names = []
    for block in YAML:
        if not re.match(r"(#[^\n]*\n)*- id: ", block.body):
            continue
        name = re.sub(r"\W+", "_", block.where) + ".yaml"
        ids = re.findall(r"^- id: (\S+)", block.body, re.MULTILINE)
        body = re.sub(
            r"^- id: (\S+)",
            rf"- id: shown-in-{block.page.stem.lower()}-\1",
            block.body,
            flags=re.MULTILINE,
        )
        (tmp_path / UNIT / name).write_text(body, encoding="utf-8")
        names += ids
    assert names, "no page shows a whole card"
    done = _run("cards verify -k shown-in", tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    """Every relative link of a page leads to a file that is there, and to a heading that it has."""
    text = re.sub(
        r"^```.*?^```|`[^`]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE
    )
    broken = []
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = (page.parent / path).resolve() if path else page
        if not file.exists() or (anchor and file.suffix == ".md" and anchor not in _anchors(file)):
            broken.append(target)
    assert not broken, f"{page.name}: {broken}"


def _anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }
