"""One attempt to one grade: read it, run it, judge each point of the contract."""

from __future__ import annotations

import ast
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from closedbook.grade.attempt import Attempt
from closedbook.grade.bench import Bench
from closedbook.grade.draws import Drawer
from closedbook.grade.language import Breach, breaches
from closedbook.grade.reading import Reading
from closedbook.grade.reference import Reference, load_reference
from closedbook.grade.runner import Runner
from closedbook.grade.slips import find_class, slips
from closedbook.grade.verdict import Finding, Grade, Mark, Note
from closedbook.model.bank import Bank, Card
from closedbook.model.kinds import Task
from closedbook.model.kinds.task import PROBES

if TYPE_CHECKING:
    from closedbook.grade.sandbox import Place, Sandbox

EXPLAINS = "explains::"
"""A trap card with the tag ``explains::hooks`` is named where the point ``hooks`` is lost."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A task with what grading needs of its bank: references and trap cards."""

    id: str
    task: Task
    references: Mapping[str, Reference]
    traps: Mapping[str, str]


def assignment_of(bank: Bank, card: Card) -> Assignment:
    """Load a task's references. Raises ``UnusableReferenceError`` where one cannot be used."""
    task = card.content
    if not isinstance(task, Task):
        raise TypeError(f"{card.id} is a {card.kind}, no task")
    references = {name: load_reference(bank, of) for name, of in task.references.items()}
    return Assignment(card.id, task, references, _traps(bank, task))


def _traps(bank: Bank, task: Task) -> dict[str, str]:
    """Probe -> the card that explains it: the contract's own word, else a card's tag."""
    found: dict[str, str] = {}
    for card in bank.cards:
        if card.content.retired:
            continue
        for tag in card.content.tags:
            if tag.startswith(EXPLAINS):
                found.setdefault(tag.removeprefix(EXPLAINS), card.id)
    return found | {name: p.trap for name, p in task.contract.items() if p.trap is not None}


def grade_attempt(
    assignment: Assignment, attempt: Attempt, sandbox: Sandbox, *, seed: int | None = None
) -> Grade:
    """Judge one attempt. Never raises for anything that the attempt does.

    ``seed`` draws the inputs; a fresh one is taken where it is None, so that nobody can know them.
    """
    import torch

    began = time.monotonic()
    seed = secrets.randbits(31) if seed is None else seed
    with sandbox.place() as place:
        judged = _Judgement(assignment, attempt, place, seed)
        marks = tuple(judged.marks())
    return Grade(
        task=assignment.id,
        attempt=attempt.name,
        marks=marks,
        notes=tuple(dict.fromkeys(judged.notes)),
        outside=tuple(Note(breach.what, breach.line) for breach in judged.outside),
        guards=dict(sandbox.guards),
        printed=judged.printed,
        seconds=time.monotonic() - began,
        seed=seed,
        torch=torch.__version__,
        source=attempt.source or "",
    )


class _Judgement:
    def __init__(self, assignment: Assignment, attempt: Attempt, place: Place, seed: int) -> None:
        self.assignment = assignment
        self.attempt = attempt
        self.place = place
        self.seed = seed
        self.notes: list[Note] = []
        self.outside: list[Breach] = []
        self.printed = ""

    def marks(self) -> Iterator[Mark]:
        """A mark for each point of the contract and each class of the task."""
        if self.attempt.source is None:
            line = self.attempt.line
            fault = Finding("a Python file", f"it {self.attempt.fault}", line, no_answer=True)
            yield from self._nothing(fault)
            return
        runner = Runner(self.place, self.attempt.source, list(self.assignment.references))
        parsed = runner.parses()
        if parsed.failure:
            unread = Finding("a Python file", parsed.failure, parsed.line, no_answer=True)
            yield from self._nothing(unread)
            return
        tree = ast.parse(self.attempt.source)
        self.outside = breaches(tree)
        reading = Reading(tree)
        loaded = runner.load()
        self.printed = runner.printed
        if loaded.failure:
            yield from self._nothing(
                Finding("a file that can be imported", loaded.failure, loaded.line, no_answer=True)
            )
            return
        for name, reference in self.assignment.references.items():
            yield from self._class(runner, reading, name, reference)

    def _class(
        self,
        runner: Runner,
        reading: Reading,
        name: str,
        reference: Reference,
    ) -> Iterator[Mark]:
        from closedbook.grade.probes import TABLE

        others = set(self.assignment.references) - {name}
        found, words, line = find_class(reading, name, others)
        if found is None:
            missing = Finding(f"a Function {name}", words, line, no_answer=True)
            yield from self._nothing(missing, name)
            return
        if words:
            self.notes.append(Note(words, line))
        self.notes += slips(reading, found)
        drawer = Drawer(reference.arguments, self.seed)
        bench = Bench(runner, reading, reference, drawer, found, self.assignment.task.forbid)
        for probe in self.assignment.task.contract:
            try:
                finding = TABLE[probe](bench)
            except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
                seen = f"an answer that cannot be worked with ({type(error).__name__})"
                finding = Finding(PROBES[probe], seen, no_answer=True)
            yield self._mark(probe, name, finding, self.outside)

    def _mark(self, probe: str, name: str, finding: Finding | None, outside: list[Breach]) -> Mark:
        point = self.assignment.task.contract[probe]
        share = point.points / len(self.assignment.references)
        say = point.say or PROBES[probe]
        held = finding is None
        if held and outside:
            finding = Finding(
                "plain PyTorch, so that what was observed can be believed",
                f"it uses {outside[0].what}",
                outside[0].line,
            )
        elif finding is not None and not finding.no_answer:
            finding = replace(finding, trap=self.assignment.traps.get(probe))
        earned = share if finding is None else Fraction(0)
        return Mark(probe, say, share, earned, name, finding, held and bool(outside))

    def _nothing(self, finding: Finding, name: str | None = None) -> Iterator[Mark]:
        """No point at all, each for the same reason."""
        for function in self.assignment.references if name is None else [name]:
            for probe in self.assignment.task.contract:
                yield self._mark(probe, function, finding, [])
