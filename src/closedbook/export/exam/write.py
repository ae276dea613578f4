"""Writing an exam: every file beside its place first, all of them moved there or none."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

from closedbook import __version__
from closedbook.export.exam.data import paper_and_key, variant_figures
from closedbook.export.exam.jobs import Job, make_job, run_jobs
from closedbook.export.exam.marking import Sheet
from closedbook.export.exam.settings import Settings
from closedbook.export.exam.typeset import font_families
from closedbook.paper.balance import balance
from closedbook.paper.make import Maker
from closedbook.paper.manifest import FORMAT, blueprint_hash, variant_entry, write_manifest
from closedbook.paper.plan import Plan
from closedbook.paper.points import format_points
from closedbook.problem import Note, Place, Problem, has_errors
from closedbook.verify.verified import VerifiedBank

MANIFEST = "manifest.json"


@dataclass(slots=True)
class _Writing:
    """What gathers while variants are set."""

    entries: list[dict[str, Any]] = field(default_factory=list)
    problems: dict[tuple[str | None, str], Problem] = field(default_factory=dict)


def write_exam(
    verified: VerifiedBank,
    plan: Plan,
    folder: Path,
    settings: Settings | None = None,
) -> tuple[list[Path], list[Problem]]:
    """Set every variant's paper and key, the marking sheet and the manifest into ``folder``.

    Nothing in ``folder`` changes where anything is wrong. Returns the
    files, or none and the problems.
    """
    settings = settings or Settings()
    folder.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    try:
        maker = Maker(verified, plan)
        names, problems = _set_all(maker, beside, settings)
        problems = [*maker.problems, *problems]
        if has_errors(problems):
            return [], problems
        return _move(beside, folder, names), problems
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _set_all(maker: Maker, beside: Path, settings: Settings) -> tuple[list[str], list[Problem]]:
    root = maker.verified.bank.root
    fonts = root / "fonts"
    writing = _Writing()
    sheet = Sheet(maker.plan.blueprint.info, settings, font_families(fonts))
    names = []
    for outcome in run_jobs(_jobs(maker, writing, sheet, settings, beside), settings.jobs, root):
        writing.entries[outcome.index]["sha256"] = outcome.sha256
        names += [f"{outcome.label}.pdf", f"{outcome.label}-key.pdf"]
        for card, message, notes in outcome.faults:
            writing.problems.setdefault((card, message), _problem(maker, card, message, notes))
    problems = list(writing.problems.values())
    if has_errors([*maker.problems, *problems]):
        return [], problems
    names += sheet.write(beside, root)
    head = manifest_head(maker.verified, maker.plan, settings)
    (beside / MANIFEST).write_text(write_manifest(head, writing.entries), encoding="utf-8")
    return [*names, MANIFEST], problems


def _jobs(
    maker: Maker, writing: _Writing, sheet: Sheet, settings: Settings, beside: Path
) -> Iterator[Job]:
    """Each variant's job, made when a worker is free for it."""
    families = font_families(maker.verified.bank.root / "fonts")
    for index in range(len(maker.plan.variants)):
        variant = maker.variant(index)
        writing.entries.append(variant_entry(variant, maker.plan, index))
        sheet.add(variant)
        paper, key = paper_and_key(variant, settings, families)
        yield make_job(index, variant, paper, key, beside, variant_figures(variant))


def _problem(maker: Maker, card: str | None, message: str, notes: tuple[str, ...]) -> Problem:
    """The message at the card that it names, or at the blueprint."""
    found = maker.verified.card(card) if card else None
    lines = tuple(Note(note) for note in notes)
    if found is not None:
        return found.card.origin.problem((), f"card '{card}': {message}", notes=lines, card=card)
    return Problem(Place(maker.plan.blueprint.origin.path), message, notes=lines)


def manifest_head(verified: VerifiedBank, plan: Plan, settings: Settings) -> dict[str, Any]:
    """What the manifest says before its variants."""
    info = plan.blueprint.info
    total = sum((slot.points for slot in plan.variants[0]), start=plan.variants[0][0].points * 0)
    return {
        "format": FORMAT,
        "bank": verified.bank.info.id,
        "blueprint": plan.blueprint.id,
        "title": info.title,
        "blueprint_sha256": blueprint_hash(plan.blueprint),
        "seed": plan.seed,
        "paper": info.paper,
        "large_print": settings.large_print,
        "duplex": settings.duplex,
        "points": format_points(total),
        "versions": {
            "closedbook": __version__,
            "torch": verified.torch,
            "typst": version("typst"),
            "tylax": version("tylax"),
        },
        "balance": balance(verified, plan),
    }


def _move(beside: Path, folder: Path, names: list[str]) -> list[Path]:
    """Put the new files into their place, and remove those of the last run that are no more."""
    folder.mkdir(exist_ok=True)
    stale = set(_last_files(folder)) - set(names)
    for name in names:
        (beside / name).replace(folder / name)
    for name in stale:
        (folder / name).unlink(missing_ok=True)
    return [folder / name for name in names]


def _last_files(folder: Path) -> list[str]:
    """The files that the manifest in ``folder`` tells of; none where it cannot be read."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        labels = [str(entry["label"]) for entry in manifest["variants"]]
    except (OSError, ValueError, KeyError, TypeError):
        return []
    return [
        name for label in labels if label.isalpha() for name in (f"{label}.pdf", f"{label}-key.pdf")
    ]
