"""``cards exam``: verify, then print an exam's papers and keys, or write them another way."""

from __future__ import annotations

import datetime
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from closedbook.commands.common import (
    bank_option,
    jobs_option,
    open_bank,
    open_verified,
    print_problems,
    verify_or_end,
)
from closedbook.problem import Problem, count, did_you_mean, has_errors

if TYPE_CHECKING:
    from closedbook.export.exam import Settings
    from closedbook.model.bank import Bank, Blueprint
    from closedbook.paper.plan import Plan
    from closedbook.verify.verified import VerifiedBank

FORMATS = ("pdf", "moodle", "qti", "html", "latex")
_VARIANTS_A_WORKER = 20
"""Fewer variants than this are not worth starting another process for."""


@click.command()
@click.argument("blueprint", required=False)
@bank_option
@jobs_option
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="pdf",
    show_default=True,
    help="Papers and keys as PDF, or Moodle XML, a QTI 2.1 package, one HTML page, LaTeX.",
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="The folder to write into.")
@click.option("--variants", type=click.IntRange(1, 10_000), help="How many, for the blueprint's.")
@click.option("--seed", type=int, help="Another seed than the blueprint's.")
@click.option("--large-print", is_flag=True, help="18 pt and wider spaces.")
@click.option("--duplex", is_flag=True, help="Begin each part on a right-hand page.")
@click.option(
    "--from",
    "manifest",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="MANIFEST",
    help="Print the papers of this manifest.json again, exactly.",
)
@click.option("--record", is_flag=True, help="Note in exams/ledger.yaml what this exam uses.")
def command(
    blueprint: str | None,
    bank_dir: Path | None,
    jobs: int | None,
    form: str,
    output: Path | None,
    variants: int | None,
    seed: int | None,
    large_print: bool,
    duplex: bool,
    manifest: Path | None,
    record: bool,
) -> None:
    """Verify, then write each variant's paper and key, and one manifest.json.

    BLUEPRINT is the name of a file in exams/, with or without .yaml. Everything goes into
    build/exams/<blueprint>/; nothing is written where a claim fails. Cards that exams/ledger.yaml
    holds of recent papers are drawn last.
    """
    if blueprint is None and manifest is None:
        raise click.UsageError("name a blueprint of exams/, or give --from a manifest.json")
    if blueprint is not None and manifest is not None:
        raise click.UsageError("--from knows its exam from the manifest: leave the blueprint out")
    if manifest is not None and (variants or seed is not None or record or large_print or duplex):
        raise click.UsageError(
            "--from prints what the manifest says: no --variants, --seed, --large-print, "
            "--duplex, --record"
        )
    if manifest is not None:
        verified = open_verified(bank_dir, jobs)
        _reprint(verified, manifest, form, output, jobs)
        return
    from closedbook.export.exam import Settings

    bank = open_bank(bank_dir)
    chosen = find_blueprint(bank, blueprint or "")
    _check_wishes(bank, chosen)
    verified = verify_or_end(bank, jobs)
    (plan,) = _plans(verified, [chosen], variants, seed)
    _write(verified, plan, form, output, Settings(large_print, duplex), jobs)
    if record:
        from closedbook.paper.ledger import record as add_to_ledger

        try:
            add_to_ledger(bank.root, plan, verified, datetime.date.today())
        except OSError as error:
            raise click.ClickException(
                f"the exam is not recorded, cannot write {error.filename}: {error.strerror}"
            ) from None


def plan_exams(verified: VerifiedBank) -> list[Plan]:
    """A plan for every blueprint of the bank. Ends the command where one of them cannot be made."""
    return _plans(verified, verified.bank.blueprints, None, None)


def write_exams(verified: VerifiedBank, plans: Sequence[Plan]) -> None:
    """Each exam as PDF into its own folder of build/exams/."""
    from closedbook.export.exam import Settings

    for plan in plans:
        _write(verified, plan, "pdf", None, Settings(), None)


def find_blueprint(bank: Bank, name: str) -> Blueprint:
    """The blueprint of that name or path. Ends the command with exit code 2 where there is none."""
    stem = Path(name).name.removesuffix(".yaml").removesuffix(".yml")
    known = {blueprint.id: blueprint for blueprint in bank.blueprints}
    if stem in known:
        return known[stem]
    there = f"; there is {', '.join(sorted(known))}" if known else "; the folder exams/ holds none"
    raise click.UsageError(f"no blueprint '{stem}'{did_you_mean(stem, known) or there}")


def _check_wishes(bank: Bank, blueprint: Blueprint) -> None:
    """What is wrong with the blueprint, before anything runs."""
    from closedbook.paper.pool import read_wishes

    problems = read_wishes(bank, blueprint).problems
    if has_errors(problems):
        _stop(problems)


def _plans(
    verified: VerifiedBank,
    blueprints: Sequence[Blueprint],
    variants: int | None,
    seed: int | None,
) -> list[Plan]:
    """A plan for each blueprint, with what there is to say of it; the end where one is missing."""
    from closedbook.paper.ledger import read_used
    from closedbook.paper.plan import make_plan

    plans: list[Plan] = []
    problems: list[Problem] = []
    for blueprint in blueprints:
        own_seed = blueprint.info.seed if seed is None else seed
        used, unread = read_used(verified.bank.root, blueprint.id, own_seed)
        plan, found = make_plan(verified, blueprint, used=used, variants=variants, seed=seed)
        problems += [*unread, *found]
        if plan is not None:
            plans.append(plan)
    print_problems(list(dict.fromkeys(problems)))  # all read the same ledger
    if len(plans) < len(blueprints) or has_errors(problems):
        raise click.exceptions.Exit(1)
    return plans


def _reprint(
    verified: VerifiedBank,
    path: Path,
    form: str,
    output: Path | None,
    jobs: int | None,
) -> None:
    from closedbook.export.exam import Settings
    from closedbook.paper.make import Maker
    from closedbook.paper.manifest import (
        changed_questions,
        other_versions,
        printed_sums,
        read_plan,
        variant_entry,
    )

    plan, manifest, problems = read_plan(path.read_text("utf-8", "replace"), str(path), verified)
    if plan is None:
        _stop(problems)
    maker = Maker(verified, plan)
    entries = [variant_entry(maker.variant(i), plan, i) for i in range(len(plan.variants))]
    if changed := changed_questions(manifest, entries, str(path), verified):
        _stop(changed)
    print_problems(other_versions(manifest, str(path), verified))
    own = Settings(manifest["large_print"], manifest["duplex"])
    _write(verified, plan, form, output, own, jobs, printed_sums(manifest, verified))


def _write(
    verified: VerifiedBank,
    plan: Plan,
    form: str,
    output: Path | None,
    settings: Settings,
    jobs: int | None,
    printed: Mapping[str, str] | None = None,
) -> None:
    folder = output or verified.bank.root / "build" / "exams" / plan.blueprint.id
    folder = folder if form == "pdf" or output else folder / form
    try:
        files, problems = _files(verified, plan, form, folder, settings, jobs, printed)
    except OSError as error:
        raise click.ClickException(
            f"cannot write {error.filename or folder}: {error.strerror or error}"
        ) from None
    if has_errors(problems):
        _stop(problems)
    print_problems(problems)
    shown = os.path.relpath(folder) if len(files) > 1 else os.path.relpath(files[0])
    told = f"{count(len(plan.variants), 'variant')}, {count(len(files), 'file')}"
    click.echo(f"{shown}: {told}")


def _workers(jobs: int | None, plan: Plan) -> int:
    """How many processes set the variants: as many as asked for, or as pay for themselves."""
    return jobs or max(1, min(os.cpu_count() or 1, len(plan.variants) // _VARIANTS_A_WORKER))


def _files(
    verified: VerifiedBank,
    plan: Plan,
    form: str,
    folder: Path,
    settings: Settings,
    jobs: int | None,
    printed: Mapping[str, str] | None,
) -> tuple[list[Path], list[Problem]]:
    if form != "pdf":
        from closedbook.export.lms import write_lms

        return write_lms(verified, plan, folder, form)
    from closedbook.export.exam import write_exam

    workers = _workers(jobs, plan)
    return write_exam(verified, plan, folder, settings, jobs=workers, printed=printed)


def _stop(problems: Sequence[Problem]) -> NoReturn:
    print_problems(problems)
    raise click.exceptions.Exit(1)
