"""Asks the sandboxed attempt, one fresh process a group of questions, within one time budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from closedbook.grade.draws import Case
from closedbook.grade.printable import clean
from closedbook.grade.sandbox.session import NoAnswerError, Session

if TYPE_CHECKING:
    import torch

    from closedbook.grade.sandbox.sandbox import Sessions


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one question: ``body`` as plain data, and tensors; or why nothing did.

    ``failure`` is a sentence; ``line`` is where in the attempt an exception was raised.
    """

    body: dict[str, Any] = field(default_factory=dict)
    tensors: Sequence[torch.Tensor] = ()
    failure: str = ""
    line: int = 0
    gone: bool = False
    """Whether the process ended or fell silent: nothing more can be asked of it."""
    silent: bool = False

    def tensor(self, described: Any) -> torch.Tensor | None:
        """The tensor that a description speaks of; None for None and for what is no tensor."""
        index = described.get("t") if isinstance(described, dict) else None
        if type(index) is int and 0 <= index < len(self.tensors):
            return self.tensors[index]
        return None

    def listed(self, key: str) -> list[Any]:
        """The list at a key; empty where there is none."""
        value = self.body.get(key)
        return value if isinstance(value, list) else []

    def count(self, key: str) -> int:
        """The whole number at a key; 0 where there is none."""
        value = self.body.get(key)
        return value if type(value) is int else 0

    def text(self, key: str) -> str:
        """The text at a key, safe to print."""
        value = self.body.get(key)
        return clean(value) if isinstance(value, str) else ""

    def each(self, expected: int) -> list[Answer]:
        """One answer a case, whatever came back."""
        if self.failure:
            return [self] * expected
        results = self.listed("results")
        answers = []
        for index in range(expected):
            body = results[index] if index < len(results) else None
            if not isinstance(body, dict):
                answers.append(Answer(failure="no answer came for this case"))
            else:
                answers.append(_failed(body) or Answer(body, self.tensors))
        return answers


def _failed(body: dict[str, Any]) -> Answer | None:
    """An exception in the attempt, in words."""
    error = body.get("error")
    if not isinstance(error, dict):
        return None
    kind, text = error.get("type"), error.get("text")
    line, number = error.get("line"), error.get("errno")
    words = in_words(
        kind if isinstance(kind, str) else "an exception",
        text if isinstance(text, str) else "",
        number if type(number) is int else 0,
    )
    return Answer(failure=words, line=line if type(line) is int and line > 0 else 0)


_NUMBERS = {
    101: "it tried to use the network, which is closed while grading",
    11: "it started more processes than an attempt may have",
    13: "it tried to write where an attempt may not",
    27: "it wrote a file larger than the file size limit",
    28: "it wrote more than the scratch folder holds",
    30: "it tried to write to the file system, which is read-only while grading",
}


def in_words(kind: str, text: str, number: int = 0) -> str:
    """An exception of the attempt as a sentence; limits in their own words."""
    shown = f"{clean(kind, 60)}: {clean(text)}" if text else clean(kind, 60)
    if kind == "MemoryError" or "can't allocate memory" in text:
        return f"it needed more memory than an attempt may have ({clean(text, 80) or kind})"
    if "can't start new thread" in text:
        return f"{_NUMBERS[11]} ({shown})"
    if kind == "SystemExit":
        return f"it raised SystemExit({clean(text, 40)}) instead of answering"
    if number in _NUMBERS:
        return f"{_NUMBERS[number]} ({shown})"
    return shown


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
    return _failed(body) or Answer(body, found)
