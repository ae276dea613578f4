"""The second half of a task: a version broken on purpose, and the mismatch that was quoted."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from closedbook.grade.answer import Answer, UnusableAnswerError
from closedbook.grade.draws import Case, Drawer
from closedbook.grade.grading import Assignment
from closedbook.grade.printable import clean
from closedbook.grade.probes.differences import Pair, jacobians
from closedbook.grade.reference import UnusableReferenceError
from closedbook.grade.runner import Runner
from closedbook.grade.text.attempt import Attempt
from closedbook.grade.text.hints import find_class
from closedbook.grade.text.language import breaches
from closedbook.grade.text.outline import Outline
from closedbook.grade.trial import Trial, gradient_line, unusable
from closedbook.grade.verdict import PointMark, Reason

if TYPE_CHECKING:
    import torch

    from closedbook.grade.sandbox.sandbox import Sandbox, Sessions

_HEAD = re.compile(r"Jacobian mismatch for output (\d+) with respect to input (\d+)")
LARGEST_QUOTE = 20_000
"""Characters, or bytes of a file, that are read: gradcheck itself says a few hundred."""
_SIZES = range(1, 7)
"""Sizes at which a quotation may have been made: all are tried, and gradcheck is run small."""
SAY = {
    "broken": "The broken version fails `gradcheck` where the task asks, and nowhere else.",
    "quote": "The quoted mismatch is what `gradcheck` says of the broken version.",
}


def grade_broken(
    assignment: Assignment, attempt: Attempt | None, quote: str | None, sandbox: Sandbox, seed: int
) -> list[PointMark]:
    """Two marks, half of the points each: the break is in its place; the quotation is true."""
    asked = assignment.task.broken
    if asked is None:
        return []
    name = next(iter(assignment.references))
    at = (asked.fails_at.get("output", 0), asked.fails_at.get("input", 0))
    with sandbox.sessions() as sessions:
        trial = _trial(assignment, attempt, sessions, seed)
        if isinstance(trial, Reason):
            reasons: list[Reason | None] = [trial, trial]
        else:
            try:
                reasons = judge_second_half(trial, at, quote)
            except UnusableAnswerError as error:
                reasons = [unusable(error, "gradcheck fails at one input")] * 2
    half = asked.points / 2
    return [
        PointMark(probe, say, half, Fraction(0) if reason else half, name, reason)
        for (probe, say), reason in zip(SAY.items(), reasons, strict=True)
    ]


def judge_second_half(trial: Trial, at: tuple[int, int], quote: str | None) -> list[Reason | None]:
    """What is wrong with the break, and with the quotation. Raises ``UnusableAnswerError``."""
    case = trial.seeded(trial.drawer.case("gradcheck", small=True))
    pairs = jacobians(trial, case)
    if isinstance(pairs, Answer):
        return [trial.failed(pairs, "gradcheck fails at one input", case)] * 2
    return [_break(trial, case, pairs, at), _quotation(trial, pairs, quote)]


def _trial(
    assignment: Assignment, attempt: Attempt | None, sessions: Sessions, seed: int
) -> Trial | Reason:
    """The trial of the broken version, or why there is none."""
    expected = "a broken version of the Function"
    if attempt is None:
        return Reason(expected, "it was not handed in")
    if attempt.source is None:
        return Reason(expected, f"it {attempt.fault}", attempt.line)
    runner = Runner(sessions, attempt.source, list(assignment.references))
    for answer in (runner.parses(), runner.load()):
        if answer.failure:
            return Reason(expected, answer.failure, answer.line)
    tree = ast.parse(attempt.source)
    for breach in breaches(tree):
        return Reason("plain PyTorch", f"it uses {breach.what}", breach.line)
    outline = Outline(tree)
    name, reference = next(iter(assignment.references.items()))
    found, words, line = find_class(outline, name, set(assignment.references) - {name})
    if found is None:
        return Reason(expected, words, line)
    drawer = Drawer(reference.arguments, seed)
    return Trial(runner, outline, reference, drawer, found, assignment.task.forbid)


def _break(trial: Trial, case: Case, pairs: Sequence[Pair], at: tuple[int, int]) -> Reason | None:
    """Exactly the one mismatch that the task asks for."""
    wrong = [pair for pair in pairs if not pair.agree]
    expected = f"a mismatch for output {at[0]} with respect to input {at[1]} alone"
    if not wrong:
        return Reason(expected, "gradcheck passes: nothing is broken", 0, str(case))
    stray = next((p for p in wrong if (p.output, p.input) != at), None)
    if stray is not None:
        line = gradient_line(trial, stray.place)
        seen = f"a mismatch for output {stray.output} with respect to input {stray.input}"
        return Reason(expected, seen, line, str(case))
    return None


@dataclass(frozen=True, slots=True)
class _Quoted:
    """A quotation taken apart. A matrix is None where none was quoted, or torch shortened it."""

    output: int
    input: int
    numerical: list[list[float]] | None
    analytical: list[list[float]] | None


def read_quote(text: str) -> _Quoted | None:
    """The first mismatch that a text quotes; numbers are read, nothing is evaluated."""
    text = text[:LARGEST_QUOTE]
    head = _HEAD.search(" ".join(text.split()))
    if head is None:
        return None
    number, other = int(head[1][:6]), int(head[2][:6])
    return _Quoted(number, other, _matrix(text, "numerical"), _matrix(text, "analytical"))


def _matrix(text: str, label: str) -> list[list[float]] | None:
    """The rows after ``label:``."""
    _, found, rest = text.partition(f"{label}:")
    body = rest.partition("analytical:")[0] if label == "numerical" else rest
    body = body.partition("dtype")[0]
    if not found or "..." in body:
        return None
    rows = []
    for row in re.findall(r"\[([^\[\]]*)\]", body):
        try:
            rows.append([float(part) for part in row.split(",") if part.strip()])
        except ValueError:
            return None
    return rows or None


def _quotation(trial: Trial, pairs: Sequence[Pair], quote: str | None) -> Reason | None:
    wrong = next((pair for pair in pairs if not pair.agree), None)
    if wrong is None:
        return Reason("a mismatch to quote", "gradcheck passes: nothing is broken")
    expected = wrong.message.rstrip(",")
    if quote is None or not quote.strip():
        return Reason(expected, "no quotation was handed in")
    quoted = read_quote(quote)
    if quoted is None:
        return Reason(expected, f"a text without such a line: {clean(quote, 120)}")
    if (quoted.output, quoted.input) != (wrong.output, wrong.input):
        where = f"output {quoted.output} with respect to input {quoted.input}"
        return Reason(expected, f"the quotation speaks of {where}")
    return _numbers(trial, wrong, quoted)


def _numbers(trial: Trial, wrong: Pair, quoted: _Quoted) -> Reason | None:
    """The quoted Jacobians are such as this break gives at the sizes that they show."""
    if quoted.numerical is None or quoted.analytical is None:
        return None
    shape = (len(quoted.numerical), len(quoted.numerical[0]))
    if quoted.numerical == quoted.analytical:
        return Reason("two Jacobians that differ", "the quotation shows the same one twice")
    runs = [_again(trial, wrong, shape) for _ in range(2)]
    first, second = runs
    if first is None or second is None:
        seen = f"a Jacobian of shape {shape}"
        return Reason("Jacobians of a shape that this Function can have", seen)
    for label in ("numerical", "analytical"):
        one, other = getattr(first, label), getattr(second, label)
        if one.allclose(other, rtol=1e-3, atol=1e-4) and not _is(one, getattr(quoted, label)):
            shown = str(one.tolist())
            return Reason(f"{label}: {clean(shown, 120)}", "the quotation shows other numbers")
    return None


def _is(tensor: torch.Tensor, rows: list[list[float]]) -> bool:
    """Whether these are a tensor's numbers, in the four decimals that torch prints."""
    import torch

    if [len(row) for row in rows] != [tensor.shape[1]] * tensor.shape[0]:
        return False
    return torch.allclose(tensor, torch.tensor(rows, dtype=torch.float64), rtol=1e-3, atol=1e-3)


def _again(trial: Trial, wrong: Pair, shape: tuple[int, int]) -> Pair | None:
    """The same mismatch at sizes whose Jacobian has this shape, on fresh inputs."""
    sizes = trial.drawer.sizes
    for drawn in itertools.product(_SIZES, repeat=len(sizes)):
        fixed = dict(zip(sizes, drawn, strict=True))
        case = trial.drawer.case("the quotation's sizes", fixed=fixed)
        try:
            case = trial.seeded(case)
        except UnusableReferenceError:
            continue  # such sizes are no input of this Function
        numel = case.given[wrong.place].value.numel()
        if (numel, case.seeds[wrong.output].numel()) == shape:
            pairs = jacobians(trial, case)
            if isinstance(pairs, Answer):
                return None
            return next(p for p in pairs if (p.output, p.input) == (wrong.output, wrong.input))
    return None
