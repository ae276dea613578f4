"""``cards init``: a bank that builds at once, or a copy of the bank that comes with closedbook."""

from __future__ import annotations

import re
import shlex
import shutil
import tempfile
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import click

_MADE = ("cards", "generators", "exams", "cards.lock", "gitignore")
_LEFT = ("readme", "license", "licence")
"""Beginnings of what a fresh repository may hold; hidden files are left alone too."""


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--example",
    is_flag=True,
    help="Copy the bank on PyTorch's custom autograd Functions instead.",
)
def command(folder: Path, example: bool) -> None:
    """Make a bank in DIR, which must not exist yet or hold no more than a fresh repository does.

    The bank holds one card of each kind, the code that shows what they say, and an exam; its
    comments teach the format.
    """
    if others := _others(folder):
        raise click.UsageError(
            f"{folder} holds {others[0]} already: name a folder that is not there, or an empty one."
        )
    source = _example() if example else _starter()
    above = folder if folder.exists() else folder.parent
    above.mkdir(parents=True, exist_ok=True)
    # Written beside and then renamed: an interrupted init leaves nothing half-made.
    with tempfile.TemporaryDirectory(dir=above, prefix=".closedbook-") as scratch:
        made = Path(scratch) / "bank"
        for name in _MADE:
            if (source / name).is_dir() or (source / name).is_file():
                _copy(source / name, made / name)
        if not example:
            _fill(made, folder.resolve().name)
        _settle(made / "gitignore")
        _move(made, folder)
    enter = "" if folder.resolve() == Path.cwd() else f"    cd {shlex.quote(str(folder))}\n"
    click.echo(f"{folder} is a bank. Now:\n\n{enter}    cards build\n")


def _others(folder: Path) -> list[str]:
    """What stands in the way of a bank in ``folder``."""
    if not folder.exists():
        return []
    if not folder.is_dir():
        return ["something that is no folder"]
    return sorted(
        path.name
        for path in folder.iterdir()
        if not path.name.startswith(".") and not path.name.lower().startswith(_LEFT)
    )


def _move(made: Path, folder: Path) -> None:
    """Put what was made where it belongs; a ``.gitignore`` that is there is added to, not lost."""
    if not folder.exists():
        made.rename(folder)
        return
    for path in sorted(made.iterdir()):
        target = folder / path.name
        if path.name == ".gitignore" and target.exists():
            with target.open("a", encoding="utf-8") as file:
                file.write("\n" + path.read_text(encoding="utf-8"))
        else:
            path.rename(target)


def _starter() -> Traversable:
    return resources.files("closedbook.commands") / "data" / "starter"


def _example() -> Traversable:
    """The packed copy; in a checkout the bank itself."""
    packed = resources.files("closedbook") / "example"
    if packed.is_dir():
        return packed
    checkout = Path(__file__).resolve().parents[3]
    if not (checkout / "cards" / "bank.yaml").is_file():
        raise click.ClickException("this installation does not carry the example bank")
    return checkout


def _copy(source: Traversable, target: Path) -> None:
    if source.is_file():
        target.write_bytes(source.read_bytes())
        return
    target.mkdir(parents=True)
    for child in source.iterdir():
        if child.name != "__pycache__":
            _copy(child, target / child.name)


def _fill(made: Path, name: str) -> None:
    """Put the bank's id and title, made from the folder's name, into the starter's files."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "my-bank"
    title = slug.replace("-", " ").capitalize()
    for path in (made / "cards" / "bank.yaml", made / "cards" / "first-unit" / "unit.yaml"):
        text = path.read_text(encoding="utf-8")
        path.write_text(
            text.replace("{{ id }}", slug).replace("{{ title }}", title), encoding="utf-8"
        )


def _settle(ignore: Path) -> None:
    """Name ``.gitignore`` what git reads; under that name no packaging tool would have kept it."""
    if ignore.is_file():
        ignore.rename(ignore.with_name(".gitignore"))
    else:
        shutil.copyfile(str(_starter() / "gitignore"), ignore.with_name(".gitignore"))
