"""Writing an exam: every file beside its place first, all of them moved there or none."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from closedbook.export.exam.data import paper_and_key
from closedbook.export.exam.jobs import Job, make_job, run_jobs
from closedbook.export.exam.marking import Sheet
from closedbook.export.exam.settings import Settings
from closedbook.paper.figures import variant_figures
from closedbook.paper.files import MANIFEST, Beside, last_labels
from closedbook.paper.make import Maker
from closedbook.paper.manifest import manifest_head, manifest_pieces, variant_entry, variant_text
from closedbook.paper.plan import Plan
from closedbook.problem import Note, Place, Problem, has_errors
from closedbook.render.typst.compiler import font_families
from closedbook.verify.verified import VerifiedBank


@dataclass(slots=True)
class _Writing:
    """What gathers while variants are set."""

    waiting: dict[int, dict[str, Any]] = field(default_factory=dict)
    """The manifest's entries of variants that are being set."""
    entries: list[bytes] = field(default_factory=list)
    problems: dict[tuple[str | None, str], Problem] = field(default_factory=dict)


def write_exam(
    verified: VerifiedBank,
    plan: Plan,
    folder: Path,
    settings: Settings | None = None,
    *,
    jobs: int = 1,
    printed: Mapping[str, str] | None = None,
) -> tuple[list[Path], list[Problem]]:
    """Set every variant's paper and key, the marking sheet and the manifest into ``folder``.

    ``jobs`` processes set the variants. ``printed`` holds the SHA-256 of papers and keys that are
    printed again: where one comes out otherwise it is an error. Nothing in ``folder``
    changes where anything is wrong. Returns the files, or none and the problems.
    """
    settings = settings or Settings()
    with Beside(folder) as beside:
        maker = Maker(verified, plan)
        names, problems = _set_all(maker, beside, settings, jobs)
        problems = [*maker.problems, *problems]
        if not has_errors(problems):
            problems += _other_bytes(maker, beside.path, printed or {})
        if has_errors(problems):
            return [], problems
        return beside.settle(names, _last_files(folder)), problems


def _other_bytes(maker: Maker, folder: Path, printed: Mapping[str, str]) -> list[Problem]:
    """What does not come out as it was printed, though its cards and all versions are the same."""
    names = [
        name
        for name, was in printed.items()
        if hashlib.sha256((folder / name).read_bytes()).hexdigest() != was
    ]
    if not names:
        return []
    message = "not as it was printed: a figure, a font or a text of the bank's has changed since"
    notes = tuple(Note(name) for name in names)
    return [Problem(Place(maker.plan.blueprint.origin.path), message, notes=notes)]


def _set_all(
    maker: Maker, beside: Beside, settings: Settings, jobs: int
) -> tuple[list[str], list[Problem]]:
    root = maker.verified.bank.root
    families = font_families(root / "fonts")
    writing = _Writing()
    sheet = Sheet(maker.plan.blueprint.info, families)
    names = []
    waiting = _jobs(maker, writing, sheet, settings, families, beside.path)
    for outcome in run_jobs(waiting, jobs, root):
        entry = {**writing.waiting.pop(outcome.index), "sha256": outcome.sha256}
        writing.entries.append(variant_text(entry))
        names += [f"{outcome.label}.pdf", f"{outcome.label}-key.pdf"]
        for card, message, notes in outcome.faults:
            writing.problems.setdefault((card, message), _problem(maker, card, message, notes))
    problems = list(writing.problems.values())
    if has_errors([*maker.problems, *problems]):
        return [], problems
    names += sheet.write(beside.path, root)
    head = manifest_head(
        maker.verified,
        maker.plan,
        large_print=settings.large_print,
        duplex=settings.duplex,
    )
    beside.write_pieces(MANIFEST, manifest_pieces(head, writing.entries))
    return [*names, MANIFEST], problems


def _jobs(
    maker: Maker,
    writing: _Writing,
    sheet: Sheet,
    settings: Settings,
    families: Sequence[str],
    beside: Path,
) -> Iterator[Job]:
    """Each variant's job, made when a worker is free for it."""
    for index in range(len(maker.plan.variants)):
        variant = maker.variant(index)
        writing.waiting[index] = variant_entry(variant, maker.plan, index)
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


def _last_files(folder: Path) -> list[str]:
    """The files that an earlier run left in ``folder``, by the manifest there."""
    labels = last_labels(folder)
    papers = [name for label in labels for name in (f"{label}.pdf", f"{label}-key.pdf")]
    return [*papers, *(path.name for path in folder.glob("marking*.pdf"))] if labels else []
