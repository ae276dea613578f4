"""Whatever a process answers, judging it gives a reason; it is never a mistake of the grader's."""

from __future__ import annotations

import ast
import copy
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from closedbook.grade import Assignment, Sandbox
from closedbook.grade.answer import Answer, UnusableAnswerError
from closedbook.grade.broken import judge_second_half
from closedbook.grade.draws import Drawer
from closedbook.grade.probes import TABLE
from closedbook.grade.runner import Query, Runner
from closedbook.grade.sandbox.inside import wire
from closedbook.grade.sandbox.sandbox import Sessions
from closedbook.grade.text.outline import Outline
from closedbook.grade.trial import Trial, unusable
from closedbook.grade.verdict import Reason
from tests.grade.material import GALLERY

SOURCES = ("right/separate.py", "wrong/always_a_bias_gradient.py")
JUNK: list[Any] = [
    None, True, -1, 7, 10**9, 10**4000, 0.5, "", "x", "\ud800", [], [[]], [None, 3], {}, {"t": 0},
    {"t": -1}, {"t": 10**9}, {"t": True}, {"shape": [1]}, {"shape": "x"}, {"type": []},
    {"error": {"type": 3, "text": [], "line": "x", "errno": {}}}, {"name": 3},
    [{"value": {"t": 0}}],
]  # fmt: skip
QUOTE = """Jacobian mismatch for output 0 with respect to input 2,
numerical:[[1.]]
analytical:[[2.]]"""


class Recorder(Runner):
    """Asks the real process, and remembers what it answered."""

    def __init__(self, sessions: Sessions, source: str) -> None:
        super().__init__(sessions, source, ["LinearFunction"])
        self.source = source
        self.probe = ""
        self.heard: dict[tuple[str, str, int], list[Answer]] = {}

    def ask(self, function: str, queries: Sequence[Query]) -> list[Answer]:
        """The answers, remembered by what was asked."""
        answers = super().ask(function, queries)
        for query, answer in zip(queries, answers, strict=True):
            key = self.probe, query.act, len(query.cases)
            self.heard.setdefault(key, []).append(answer)
        return answers

    def recall(self, probe: str, query: Query) -> list[Answer]:
        """What was answered to the same, or to another query of the same act."""
        alike = [found for (_, act, _), found in self.heard.items() if act == query.act]
        return self.heard.get((probe, query.act, len(query.cases))) or alike[0]


class Forger(Runner):
    """Answers with what was remembered, changed here and there."""

    def __init__(self, recorder: Recorder, probe: str, dice: random.Random) -> None:
        self.recorder, self.probe, self.dice = recorder, probe, dice
        self.count, self.at = 0, dice.randrange(dice.choice((1, 4, 8)))
        self.change = dice.choice(CHANGES)
        self.kind: torch.dtype = getattr(torch, dice.choice(list(wire.ITEM)))

    def ask(self, function: str, queries: Sequence[Query]) -> list[Answer]:
        """An answer to each, of the right act at least; one of them is forged, or a few are."""
        answers = []
        for query in queries:
            answer = self.dice.choice(self.recorder.recall(self.probe, query))
            forge = self.count == self.at or self.dice.random() < 0.2
            answers.append(self.forged(answer) if forge else answer)
            self.count += 1
        return answers

    def forged(self, answer: Answer) -> Answer:
        """The same answer with other values at a key or two, and other tensors."""
        body, tensors = copy.deepcopy(answer.body), list(answer.tensors)
        keys = sorted({key for _, key in places(body)})
        for chosen in self.dice.sample(keys, min(len(keys), self.dice.randint(0, 2))):
            junk = self.dice.choice(JUNK)
            for holder, key in [(h, k) for h, k in places(body) if k == chosen]:
                value = holder[key]
                if isinstance(value, list) and value and self.dice.random() < 0.5:
                    value[self.dice.randrange(len(value))] = copy.deepcopy(junk)
                else:
                    holder[key] = copy.deepcopy(junk)
        if self.dice.random() < 0.7:
            tensors = [self.change(tensor).to(self.kind) for tensor in tensors]
        return Answer(body, tensors, answer.failure, answer.line)


CHANGES: list[Callable[[torch.Tensor], torch.Tensor]] = [
    lambda tensor: tensor,
    lambda tensor: tensor > 0,
    lambda tensor: torch.full(tensor.shape, float("nan")),
    lambda tensor: torch.full(tensor.shape, float("inf")),
    lambda tensor: tensor.flatten(),
    lambda tensor: tensor.sum(),
    lambda tensor: tensor[None],
    lambda tensor: torch.zeros(0),
]


def places(value: Any) -> Iterator[tuple[dict[str, Any], str]]:
    """Every key in a body, with the mapping that holds it."""
    for key, part in list(value.items()) if isinstance(value, dict) else []:
        yield value, key
        yield from places(part)
    for part in value if isinstance(value, list) else []:
        yield from places(part)


def second_half(trial: Trial) -> Reason | None:
    """The break, and its quotation, as one more probe."""
    return next(filter(None, judge_second_half(trial, (0, 2), QUOTE)), None)


PROBES = {**TABLE, "the second half": second_half}


@pytest.fixture(scope="module")
def recorders(assignments: dict[str, Assignment], sandbox: Sandbox) -> list[Recorder]:
    """What two attempts answered to all that every probe asks."""
    found = []
    for name in SOURCES:
        with sandbox.sessions() as sessions:
            recorder = Recorder(sessions, (GALLERY / name).read_text("utf-8"))
            for recorder.probe, probe in PROBES.items():
                probe(trial_of(assignments["task-linear"], recorder.source, recorder))
        assert not any(answer.failure for told in recorder.heard.values() for answer in told)
        found.append(recorder)
    return found


def trial_of(assignment: Assignment, source: str, runner: Runner) -> Trial:
    """A trial that draws the same inputs each time."""
    reference = assignment.references["LinearFunction"]
    outline = Outline(ast.parse(source))
    drawer = Drawer(reference.arguments, 5)
    return Trial(runner, outline, reference, drawer, "LinearFunction", assignment.task.forbid)


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32))
def test_no_answer_brings_a_probe_down(
    seed: int, recorders: list[Recorder], assignments: dict[str, Assignment]
) -> None:
    """Parts of other kinds, huge numbers, tensors of any dtype and shape: all are an answer."""
    dice = random.Random(seed)  # noqa: S311  the same in each run
    for recorder in recorders:
        for name, probe in PROBES.items():
            runner = Forger(recorder, name, dice)
            trial = trial_of(assignments["task-linear"], recorder.source, runner)
            try:
                reason = probe(trial)
            except UnusableAnswerError as error:
                reason = unusable(error, "an answer")
            assert reason is None or reason.seen
