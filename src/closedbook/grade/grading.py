"""One attempt to one grade: read it, run it, judge each point of the contract."""

from __future__ import annotations

import ast
import secrets
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from closedbook.grade.answer import UnusableAnswerError
from closedbook.grade.draws import Drawer
from closedbook.grade.reference import Reference, load_reference
from closedbook.grade.runner import Runner
from closedbook.grade.text.attempt import Attempt
from closedbook.grade.text.breach import Breach
from closedbook.grade.text.hints import find_class, hints
from closedbook.grade.text.language import breaches
from closedbook.grade.text.outline import Outline
from closedbook.grade.trial import Trial, unusable
from closedbook.grade.verdict import Grade, PointMark, Reason, Remark
from closedbook.model.bank import Bank, Card
from closedbook.model.kinds import Task
from closedbook.model.kinds.task import PROBES

if TYPE_CHECKING:
    from closedbook.grade.sandbox.sandbox import Sandbox, Sessions

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

    Raises ``UnusableReferenceError`` where the reference cannot be run.

    ``seed`` draws the inputs; a fresh one is taken where it is None, so that nobody can know them.
    """
    import torch

    began = time.monotonic()
    seed = secrets.randbits(31) if seed is None else seed
    with sandbox.sessions() as sessions:
        judged = _Judgement(assignment, attempt, sessions, seed)
        marks = tuple(judged.marks())
    return Grade(
        task=assignment.id,
        attempt=attempt.name,
        marks=marks,
        remarks=tuple(dict.fromkeys(judged.remarks)),
        outside=tuple(Remark(breach.what, breach.line) for breach in judged.outside),
        guards=dict(sandbox.guards),
        printed=judged.printed,
        seconds=time.monotonic() - began,
        seed=seed,
        torch=torch.__version__,
        source=attempt.source or "",
    )


class _Judgement:
    def __init__(
        self, assignment: Assignment, attempt: Attempt, sessions: Sessions, seed: int
    ) -> None:
        self.assignment = assignment
        self.attempt = attempt
        self.sessions = sessions
        self.seed = seed
        self.remarks: list[Remark] = []
        self.outside: list[Breach] = []
        self.printed = ""

    def marks(self) -> Iterator[PointMark]:
        """A mark for each point of the contract and each class of the task."""
        if self.attempt.source is None:
            line = self.attempt.line
            fault = Reason("a Python file", f"it {self.attempt.fault}", line, no_answer=True)
            yield from self._nothing(fault)
            return
        runner = Runner(self.sessions, self.attempt.source, list(self.assignment.references))
        parsed = runner.parses()
        if parsed.failure:
            unread = Reason("a Python file", parsed.failure, parsed.line, no_answer=True)
            yield from self._nothing(unread)
            return
        tree = ast.parse(self.attempt.source)
        self.outside = breaches(tree)
        outline = Outline(tree)
        loaded = runner.load()
        self.printed = runner.printed
        if loaded.failure:
            yield from self._nothing(
                Reason("a file that can be imported", loaded.failure, loaded.line, no_answer=True)
            )
            return
        for name, reference in self.assignment.references.items():
            yield from self._class(runner, outline, name, reference)

    def _class(
        self,
        runner: Runner,
        outline: Outline,
        name: str,
        reference: Reference,
    ) -> Iterator[PointMark]:
        from closedbook.grade.probes import TABLE

        others = set(self.assignment.references) - {name}
        found, words, line = find_class(outline, name, others)
        if found is None:
            missing = Reason(f"a Function {name}", words, line, no_answer=True)
            yield from self._nothing(missing, name)
            return
        if words:
            self.remarks.append(Remark(words, line))
        self.remarks += hints(outline, found)
        drawer = Drawer(reference.arguments, self.seed)
        trial = Trial(runner, outline, reference, drawer, found, self.assignment.task.forbid)
        for probe in self.assignment.task.contract:
            judge = TABLE[probe]
            try:
                reason = judge(trial)
            except UnusableAnswerError as error:
                reason = unusable(error, PROBES[probe])
            yield self._mark(probe, name, reason, self.outside)

    def _mark(
        self, probe: str, name: str, reason: Reason | None, outside: list[Breach]
    ) -> PointMark:
        point = self.assignment.task.contract[probe]
        share = point.points / len(self.assignment.references)
        say = point.say or PROBES[probe]
        held = reason is None
        if held and outside:
            reason = Reason(
                "plain PyTorch, so that what was observed can be believed",
                f"it uses {outside[0].what}",
                outside[0].line,
            )
        elif reason is not None and not reason.no_answer:
            reason = replace(reason, trap=self.assignment.traps.get(probe))
        earned = share if reason is None else Fraction(0)
        return PointMark(probe, say, share, earned, name, reason, held and bool(outside))

    def _nothing(self, reason: Reason, name: str | None = None) -> Iterator[PointMark]:
        """No point at all, each for the same reason."""
        for function in self.assignment.references if name is None else [name]:
            for probe in self.assignment.task.contract:
                yield self._mark(probe, function, reason, [])
