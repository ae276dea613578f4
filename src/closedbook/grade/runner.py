"""Asks the sandboxed attempt, one fresh process a group of questions, within one time budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from closedbook.grade.answer import Answer, failed
from closedbook.grade.draws import Case
from closedbook.grade.sandbox.session import NoAnswerError, Session

if TYPE_CHECKING:
    import torch

    from closedbook.grade.sandbox.sandbox import Sessions


class Pack:
    """Collects the tensors of a request and gives their numbers."""

    def __init__(self) -> None:
        self.tensors: list[torch.Tensor] = []

    def put(self, tensor: torch.Tensor) -> int:
        """The number by which the request speaks of a tensor."""
        self.tensors.append(tensor.detach())
        return len(self.tensors) - 1

    def case(
        self, case: Case, second: Sequence[torch.Tensor] = (), edit: int = 0
    ) -> dict[str, Any]:
        """A case in the form that the sandbox reads."""
        arguments = [
            {"t": self.put(given.value), "grad": given.grad, "layout": given.layout}
            if given.is_tensor
            else {"v": given.value}
            for given in case.given
        ]
        seeds = [{"t": self.put(seed)} for seed in case.seeds]
        more = [{"t": self.put(tensor)} for tensor in second]
        return {"args": arguments, "seeds": seeds, "second": more, "edit": edit}


@dataclass(frozen=True, slots=True)
class Query:
    """An act of the sandbox, its cases, and its switches."""

    act: str
    cases: Sequence[Case]
    flags: dict[str, Any] = field(default_factory=dict)
    second: Sequence[Sequence[torch.Tensor]] = ()
    edits: Sequence[int] = ()
    look: Sequence[torch.Tensor] = ()
    """Values to look for."""


class Runner:
    """Questions to one attempt about one of its Functions."""

    def __init__(self, sessions: Sessions, source: str, names: Sequence[str]) -> None:
        self._sessions = sessions
        self._source = source
        self._names = list(names)
        sessions.prepare(source)
        self._left = sessions.limits.total
        self._silences = 0
        self.printed = ""
        self.dead = ""
        """Why nothing more is asked, once loading has failed or the time is used up."""
        self.line = 0

    def parses(self) -> Answer:
        """Have the sandbox parse the text first: a parser that falls over falls over there."""
        return self._session([("parse", {"source": self._source}, [])])[0]

    def load(self) -> Answer:
        """Load the attempt once, to see that it can be, and what it prints."""
        (answer,) = self._session([self._loading()])
        if answer.failure:
            self.dead, self.line = answer.failure, answer.line
        return answer

    def ask(self, function: str, queries: Sequence[Query]) -> list[Answer]:
        """One fresh process, these questions in turn; a failure answers all that come after."""
        requests = [self._loading()]
        for query in queries:
            pack = Pack()
            cases = []
            for index, case in enumerate(query.cases):
                second = query.second[index] if query.second else ()
                edit = query.edits[index] if query.edits else 0
                cases.append(pack.case(case, second, edit))
            header = {"class": function, "cases": cases, **query.flags}
            if query.look:
                header["look"] = [pack.put(value) for value in query.look]
            requests.append((query.act, header, pack.tensors))
        return self._session(requests)[1:]

    def _loading(self) -> tuple[str, dict[str, Any], list[torch.Tensor]]:
        return "load", {"source": self._source, "names": self._names}, []

    def _session(
        self, requests: Sequence[tuple[str, dict[str, Any], list[torch.Tensor]]]
    ) -> list[Answer]:
        answers: list[Answer] = []
        if self.dead:
            return [Answer(failure=self.dead, line=self.line)] * len(requests)
        if self._left <= 0:
            why = f"not run: the {self._sessions.limits.total:g} s for one attempt were used up"
            return [Answer(failure=why)] * len(requests)
        if self._silences > 1:
            return [Answer(failure="not run: it had fallen silent twice before")] * len(requests)
        session = self._sessions.open(self._left)
        with session:
            for act, header, tensors in requests:
                answer = _answered(session, {"act": act, **header}, tensors)
                answers.append(answer)
                if answer.failure and (act == "load" or answer.gone):
                    break
            self.printed = self.printed or session.printed()
        self._silences += answers[-1].silent
        self._left -= session.spent
        return answers + [answers[-1]] * (len(requests) - len(answers))


def _answered(session: Session, header: dict[str, Any], tensors: list[torch.Tensor]) -> Answer:
    try:
        body, found = session.ask(header, tensors)
    except NoAnswerError as error:
        return Answer(failure=str(error), gone=True, silent=error.silent)
    return failed(body) or Answer(body, found)
