"""The fenced blocks of the documentation, with the place of each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))

_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>[\w+-]*)[^\n]*\n(?P<body>.*?)^(?P=indent)```[^\n]*\n"
    r"(?:\s*<!-- exit: (?P<exit>\d+) -->)?",
    re.DOTALL | re.MULTILINE,
)
_STARTS_EMPTY = "<!-- starts: empty -->"


@dataclass(frozen=True)
class Block:
    """One fenced block. ``exit`` is the code that its last command ends with."""

    page: Path
    line: int
    language: str
    body: str
    exit: int

    @property
    def where(self) -> str:
        """``docs/start.md:12``."""
        return f"{self.page.relative_to(ROOT)}:{self.line}"


@dataclass(frozen=True)
class Step:
    """One command of a console block, and the output that the page shows below it."""

    command: str
    shown: tuple[str, ...]
    exit: int


def blocks_of(page: Path, *languages: str) -> list[Block]:
    """The blocks of a page in these languages, in order."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in _FENCE.finditer(text):
        if match["language"] in languages:
            indent = len(match["indent"])
            body = "".join(line[indent:] for line in match["body"].splitlines(keepends=True))
            line = text.count("\n", 0, match.start()) + 1
            found.append(Block(page, line, match["language"], body, int(match["exit"] or 0)))
    return found


def steps_of(block: Block) -> list[Step]:
    """The commands of a console block. A line that ends in a backslash goes on in the next."""
    lines = block.body.replace("\\\n", "").splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    steps = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        shown = tuple(line.rstrip() for line in lines[start + 1 : end] if line.strip())
        exit_code = block.exit if end == len(lines) else 0
        steps.append(Step(lines[start][2:], shown, exit_code))
    return steps


def starts_empty(page: Path) -> bool:
    """Whether the page begins in an empty folder, and not in a copy of the example bank."""
    return _STARTS_EMPTY in page.read_text(encoding="utf-8")


def missing_lines(shown: tuple[str, ...], output: str) -> list[str]:
    """The shown lines that the output does not have in that order; ``…`` stands for any text."""
    rest, missing = output, []
    for line in shown:
        pattern = r".*?".join(re.escape(part.strip()) for part in line.split("…"))
        match = re.search(pattern, rest, re.DOTALL if line.strip() == "…" else 0)
        if match is None:
            missing.append(line)
        else:
            rest = rest[match.end() :]
    return missing
