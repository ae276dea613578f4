"""``cards init``: a bank that builds at once, or a copy of the bank that comes with closedbook."""

from __future__ import annotations

import re
import shutil
import tempfile
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

import click

_FOLDERS = ("cards", "generators", "exams")


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--example",
    is_flag=True,
    help="Copy the bank on PyTorch's custom autograd Functions instead.",
)
def command(folder: Path, example: bool) -> None:
    """Make a bank in DIR, which must not exist yet or be empty.

    The bank holds one card of each kind, the code that shows what they say, and an exam; its
    comments teach the format.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise click.UsageError(
            f"{folder} is there already: name a folder that is not, or an empty one."
        )
    source = _example() if example else _starter()
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Written beside and then renamed: an interrupted init leaves nothing half-made.
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=".closedbook-") as scratch:
        made = Path(scratch) / "bank"
        for name in (*_FOLDERS, "gitignore"):
            if (source / name).is_dir() or (source / name).is_file():
                _copy(source / name, made / name)
        if not example:
            _fill(made, folder.resolve().name)
        _settle(made / "gitignore")
        if folder.exists():
            folder.rmdir()
        made.rename(folder)
    click.echo(f"{folder} is a bank. Now:\n\n    cd {folder}\n    cards build\n")


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
