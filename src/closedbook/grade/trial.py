"""What every probe of one Function works with: the attempt, the reference, and shared runs."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from closedbook.grade.answer import Answer, UnusableAnswerError
from closedbook.grade.draws import Case, Drawer
from closedbook.grade.reference import Reference, UnusableReferenceError
from closedbook.grade.runner import Query, Runner
from closedbook.grade.text import lines
from closedbook.grade.verdict import Reason

if TYPE_CHECKING:
    from closedbook.grade.text.outline import Outline


@dataclass
class Trial:
    """One Function of one attempt, and the reference that it is compared with.

    ``function`` is the name of the class in the attempt.
    """

    runner: Runner
    outline: Outline
    reference: Reference
    drawer: Drawer
    function: str
    forbid: tuple[str, ...]
    memo: dict[str, Reason | None] = field(default_factory=dict)
    """Reasons that more than one probe asks for."""
    called: dict[str, set[str]] = field(default_factory=dict)
    """Method -> the dotted names of what it called in the runs so far."""
    apart: bool = False
    """Whether torch itself found a ``setup_context``; known when :attr:`forwards` is."""

    @property
    def ctx_apart(self) -> bool:
        """Whether the attempt has ``setup_context``."""
        return self.outline.method(self.function, "setup_context") is not None

    def argument(self, place: int) -> str:
        """The name of an argument of forward."""
        return self.reference.arguments[place].name

    def ask(self, *queries: Query) -> list[Answer]:
        """Questions in one fresh process."""
        answers = self.runner.ask(self.function, queries)
        for answer in answers:
            told = answer.body.get("called")
            for method, names in (told if isinstance(told, dict) else {}).items():
                listed = names if isinstance(names, list) else []
                self.called.setdefault(method, set()).update(n for n in listed if type(n) is str)
        return answers

    def seeded(self, case: Case) -> Case:
        """The case with a drawn ``grad_output``. Raises ``UnusableReferenceError``."""
        return self.drawer.seeded(case, self.reference.outputs(case))

    def usable(self, cases: Sequence[Case]) -> list[Case]:
        """Those of the cases that the reference itself can run, with a drawn ``grad_output``.

        Raises ``UnusableReferenceError`` where it can run none.
        """
        usable, refused = [], None
        for case in cases:
            try:
                usable.append(self.seeded(case))
            except UnusableReferenceError as error:
                refused = refused or error  # such a size is no input of this Function
        if refused is not None and not usable:
            raise refused
        return usable

    @functools.cached_property
    def cases(self) -> list[Case]:
        """The cases in which Functions go wrong."""
        return self.usable(self.drawer.many())

    @functools.cached_property
    def usual(self) -> Case:
        """One case like any other."""
        return self.cases[0]

    @functools.cached_property
    def forwards(self) -> list[Answer]:
        """Forward of every case."""
        (answer,) = self.ask(Query("forward", self.cases, {"keep": True}))
        self.apart = answer.body.get("apart") is True
        return answer.each(len(self.cases))

    @functools.cached_property
    def backward_cases(self) -> list[Case]:
        """Every case with all gradients asked for, and the usual one with each alone."""
        alone = [self.usual.only(place) for place in self.usual.tensors()]
        return [*self.cases, *(alone if len(alone) > 1 else [])]

    @functools.cached_property
    def backwards(self) -> list[Answer]:
        """Backward of every case, watched."""
        (answer,) = self.ask(Query("backward", self.backward_cases, {"watch": True}))
        return answer.each(len(self.backward_cases))

    def failed(self, answer: Answer, expected: str, case: Case | None = None) -> Reason:
        """The reason for an answer that did not come."""
        where = str(case) if case else ""
        return Reason(expected, answer.failure, answer.line, where, no_answer=True)


def unusable(error: UnusableAnswerError, expected: str) -> Reason:
    """The reason for an answer that came, and holds what it cannot hold."""
    return Reason(expected, f"what came back is no answer: {error}", no_answer=True)


def gradient_line(trial: Trial, place: int) -> int:
    """The line that makes the gradient of one argument."""
    return lines.return_line(trial.outline, trial.function, "backward", place)
