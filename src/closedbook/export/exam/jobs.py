"""Setting variants, here or in several processes.

A process that has compiled once must not be forked: the workers are spawned. What goes to a
worker is text, and what comes back is small: the PDFs are written where they are made.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from closedbook.export.exam.guards import lost_pieces
from closedbook.export.exam.readback import Promise, disagreements, read
from closedbook.export.exam.typeset import Typesetter
from closedbook.export.exam.words import WORDS
from closedbook.paper.exam import Variant
from closedbook.paper.figures import answer_figures
from closedbook.render.typst.compiler import SettingError
from closedbook.render.walk import gap_hints

Fault = tuple[str | None, str, tuple[str, ...]]
"""The card that it is about, where one can be named; what is wrong; notes."""


@dataclass(frozen=True, slots=True)
class Job:
    """One variant to be set: the data of its paper and key as JSON, and what they must show."""

    index: int
    label: str
    paper_size: str
    paper: str
    key: str
    promises: tuple[Promise, ...]
    folder: str
    figures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """A variant that was set: the SHA-256 of its two files, and what is wrong with them."""

    index: int
    label: str
    sha256: dict[str, str]
    faults: tuple[Fault, ...]


def make_job(
    index: int,
    variant: Variant,
    paper: dict[str, Any],
    key: dict[str, Any],
    folder: Path,
    figures: tuple[str, ...],
) -> Job:
    """The job of setting ``variant`` from its data."""
    printed = [question for section in paper["sections"] for question in section["questions"]]
    promises = tuple(
        Promise(
            question.number,
            question.card,
            f"{WORDS['question']} {question.number}",
            question.right_letters,
            tuple(option.letter for option in question.options),
            question.kind == "cloze",
            gap_hints(question.stem),
            answer_figures(question),
        )
        for question in variant.questions
    )
    if len(printed) != len(promises):
        raise AssertionError("the data holds each question once")
    return Job(
        index,
        variant.label,
        variant.paper,
        json.dumps(paper, ensure_ascii=False),
        json.dumps(key, ensure_ascii=False),
        promises,
        str(folder),
        figures,
    )


def set_variant(setter: Typesetter, job: Job) -> Outcome:
    """Set, check and write one variant's paper and key."""
    setter.add_figures(job.figures)
    faults: list[Fault] = []
    made: dict[str, bytes] = {}
    for kind, text in (("paper", job.paper), ("key", job.key)):
        try:
            made[kind], marks = setter.paper(text, job.paper_size)
        except SettingError as error:
            faults += explain(setter, error, json.loads(text))
            continue
        faults += [
            (card, f"{what} (variant {job.label}, {kind})", ())
            for card, what in lost_pieces(marks, job.paper_size)
        ]
    if not faults:
        told = disagreements(read(made["paper"]), read(made["key"]), job.label, job.promises)
        faults += [(card, what, ()) for card, what in told]
    sums = {}
    if not faults:
        for kind, name in (("paper", f"{job.label}.pdf"), ("key", f"{job.label}-key.pdf")):
            Path(job.folder, name).write_bytes(made[kind])
            sums[name] = hashlib.sha256(made[kind]).hexdigest()
    return Outcome(job.index, job.label, sums, tuple(faults))


def explain(setter: Typesetter, error: SettingError, data: dict[str, Any]) -> Iterator[Fault]:
    """Why a document could not be set, card by card."""
    if error.glyphs:
        yield from _missing_glyphs(error.glyphs, data)
        return
    named = False
    for section in data["sections"]:
        for question in section["questions"]:
            alone = {**data, "sections": [{**section, "intro": [], "questions": [question]}]}
            try:
                setter.pdf(alone)
            except SettingError as own:
                named = True
                yield question["card"], f"it cannot be set: {_first_line(own.told)}", ()
    if not named:
        yield None, f"the {data['kind']} cannot be set: {_first_line(error.told)}", ()


def _missing_glyphs(glyphs: Iterable[str], data: dict[str, Any]) -> Iterator[Fault]:
    for shown in glyphs:
        text = _unescape(shown)
        codes = " ".join(f"U+{ord(ch):04X}" for ch in text)
        told = f"no font at hand has '{text}' ({codes})"
        help_ = ("put a font file that has it into the bank's folder fonts/",)
        cards = [
            question["card"]
            for section in data["sections"]
            for question in section["questions"]
            if _holds(question, text)
        ]
        for card in cards or [None]:
            yield card, told, help_


def _holds(value: Any, text: str) -> bool:
    """Whether any text in the data holds one of the characters."""
    if isinstance(value, str):
        return any(ch in value for ch in text if not ch.isspace())
    if isinstance(value, dict):
        return any(_holds(item, text) for item in value.values())
    return isinstance(value, list) and any(_holds(item, text) for item in value)


def _unescape(shown: str) -> str:
    r"""Text as Rust shows it, ``\u{1f600}``, as itself."""
    text = re.sub(r"\\u\{([0-9a-f]+)\}", lambda match: chr(int(match[1], 16)), shown)
    return text.replace('\\"', '"').replace("\\\\", "\\")


def _first_line(told: str) -> str:
    """What Typst said, without its own frame; what tree.typ found, without the card's name."""
    line = told.strip().splitlines()[0].removeprefix("error: ")
    found = re.search(r"panicked with: \"?closedbook: (?:card '[^']*': )?(.*?)\"?$", line)
    return found[1].replace("\\\\", "\\") if found else line


# ---- several processes --------------------------------------------------------------------------

_setter: Typesetter | None = None


def _begin(root: str) -> None:
    os.environ["RAYON_NUM_THREADS"] = "1"  # Typst's threads: a worker is one of as many as pay
    global _setter  # a worker's own compiler, made once a process
    _setter = Typesetter(Path(root))


def _work(job: Job) -> Outcome:
    if _setter is None:
        raise RuntimeError("the worker was not begun")
    return set_variant(_setter, job)


def run_jobs(jobs: Iterable[Job], workers: int, root: Path) -> Iterator[Outcome]:
    """The outcomes, in the order of the jobs; at most a few jobs wait at any time."""
    if workers <= 1:
        with Typesetter(root) as setter:
            for job in jobs:
                yield set_variant(setter, job)
        return
    context = get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_begin, initargs=(str(root),)) as pool:
        yield from _in_order(pool, jobs, workers * 2)


def _in_order(pool: ProcessPoolExecutor, jobs: Iterable[Job], waiting: int) -> Iterator[Outcome]:
    pending: list[Future[Outcome]] = []
    for job in jobs:
        pending.append(pool.submit(_work, job))
        if len(pending) >= waiting:
            yield pending.pop(0).result()
    for future in pending:
        yield future.result()
