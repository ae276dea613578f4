"""gradcheck and gradgradcheck, computed here from the attempt's bare outputs and gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from closedbook.grade.answer import Answer
from closedbook.grade.draws import Case
from closedbook.grade.probes.values import by_autograd
from closedbook.grade.runner import Query
from closedbook.grade.text import lines
from closedbook.grade.trial import Trial, gradient_line
from closedbook.grade.verdict import Reason

if TYPE_CHECKING:
    import torch

EPS, ATOL, RTOL = 1e-6, 1e-4, 1e-3
"""Step and tolerances of gradcheck as tasks ask for it, in double precision."""
_SECOND_ATOL = 1e-3
"""Ten times as much for second derivatives: a difference adds up the rounding of all gradients."""


def _steps(case: Case, places: Sequence[int]) -> list[Case]:
    """The case with each element of each of these arguments moved by +EPS, then by -EPS."""
    moved = []
    for place in places:
        value = case.given[place].value
        for element in range(value.numel()):
            for step in (EPS, -EPS):
                other = value.clone().contiguous()
                other.view(-1)[element] += step
                moved.append(case.with_value(place, other))
    return moved


def _one_hot(case: Case) -> list[Case]:
    """The case with each element of each output picked by its ``grad_output``."""
    import torch

    picked = []
    for index, seed in enumerate(case.seeds):
        for element in range(seed.numel()):
            seeds = [torch.zeros_like(other) for other in case.seeds]
            seeds[index].view(-1)[element] = 1.0
            picked.append(replace(case, seeds=tuple(seeds)))
    return picked


def small_cases(trial: Trial) -> list[Case]:
    """Small double inputs: everything given, and each optional tensor left out."""
    drawer = trial.drawer
    cases = [drawer.case("gradcheck", small=True)]
    cases += [
        drawer.case(f"gradcheck, no {name}", small=True, without=(name,))
        for name in drawer.optional()
    ]
    return trial.usable(cases)


@dataclass(frozen=True, slots=True)
class Pair:
    """Both Jacobians of one output by one input: a row an input element, a column an output's.

    ``input`` counts the inputs that require a gradient, as gradcheck does; ``place`` all of them.
    """

    output: int
    input: int
    place: int
    numerical: torch.Tensor
    analytical: torch.Tensor

    @property
    def agree(self) -> bool:
        """Whether the two are as close as gradcheck asks."""
        import torch

        return torch.allclose(self.analytical, self.numerical, rtol=RTOL, atol=ATOL)

    @property
    def message(self) -> str:
        """The first line of what ``torch.autograd.gradcheck`` raises."""
        return f"Jacobian mismatch for output {self.output} with respect to input {self.input},"

    @property
    def shown(self) -> str:
        """Both Jacobians below that line, each row on a line of its own."""
        rows = [*_rows(self.numerical), "analytical:", *_rows(self.analytical)]
        return "\n".join([self.message, "numerical:", *rows])


def _rows(jacobian: torch.Tensor) -> list[str]:
    """The numbers of a Jacobian, cut where it is too large for a screen."""
    high, wide = 10, 10
    cells = [[f"{value:.4g}" for value in row[:wide].tolist()] for row in jacobian[:high]]
    width = max((len(cell) for row in cells for cell in row), default=0)
    more = " …" if jacobian.shape[1] > wide else ""
    lines = ["  " + " ".join(cell.rjust(width) for cell in row) + more for row in cells]
    return lines + (["  …"] if jacobian.shape[0] > high else [])


def jacobians(trial: Trial, case: Case) -> list[Pair] | Answer:
    """The Jacobians of one small case, or the answer that did not come.

    Raises ``UnusableAnswerError``.
    """
    steps, picked = _steps(case, case.asked()), _one_hot(case)
    forward, backward = trial.ask(Query("forward", steps), Query("backward", picked))
    outputs, rows = forward.each(len(steps)), backward.each(len(picked))
    for answer in (*outputs, *rows):
        if answer.failure:
            return answer
    values = [a.doubles("outputs") for a in outputs]
    grads = [a.doubles("grads") for a in rows]
    pairs, column = [], 0
    for output, seed in enumerate(case.seeds):
        at = 0
        for number, place in enumerate(case.asked()):
            size = case.given[place].value.numel()
            numerical = _numerical(values[at : at + 2 * size], output, seed)
            if numerical is None:
                shape = tuple(seed.shape)
                return Answer(failure=f"output {output} is no tensor of shape {shape}")
            analytical = _analytical(grads[column : column + seed.numel()], number, size)
            pairs.append(Pair(output, number, place, numerical, analytical))
            at += 2 * size
        column += seed.numel()
    return pairs


def _numerical(
    values: Sequence[Sequence[torch.Tensor | None]], output: int, seed: torch.Tensor
) -> torch.Tensor | None:
    """Central differences from outputs at +EPS and -EPS; None where an output is missing."""
    import torch

    rows = []
    for plus, minus in zip(values[::2], values[1::2], strict=True):
        one, other = _picked(plus, output), _picked(minus, output)
        if one is None or other is None or not one.shape == other.shape == seed.shape:
            return None
        rows.append(((one - other) / (2 * EPS)).flatten())
    return torch.stack(rows)


def _analytical(
    grads: Sequence[Sequence[torch.Tensor | None]], number: int, size: int
) -> torch.Tensor:
    """Gradients of single output elements as columns; a missing gradient is zero."""
    import torch

    columns = []
    for row in grads:
        found = _picked(row, number)
        fits = found is not None and found.numel() == size
        columns.append(
            found.flatten() if fits and found is not None else torch.zeros(size).double()
        )
    return torch.stack(columns, dim=1)


def _picked(values: Sequence[torch.Tensor | None], index: int) -> torch.Tensor | None:
    return values[index] if index < len(values) else None


def _ignored(trial: Trial, case: Case, pair: Pair) -> bool:
    """A forward that ignores an argument agrees with a backward of zeros, and proves nothing."""
    return not pair.numerical.any() and trial.reference.depends(case, pair.output, pair.place)


def gradcheck(trial: Trial) -> Reason | None:
    """The attempt's gradients are those of the attempt's own forward."""
    if "gradcheck" not in trial.memo:
        trial.memo["gradcheck"] = _gradcheck(trial)
    return trial.memo["gradcheck"]


def _gradcheck(trial: Trial) -> Reason | None:
    if reason := by_autograd(trial):
        return reason
    for case in small_cases(trial):
        found = jacobians(trial, case)
        if isinstance(found, Answer):
            return trial.failed(found, "gradcheck passes", case)
        for pair in found:
            line = gradient_line(trial, pair.place)
            if not pair.agree:
                return Reason("gradcheck passes", pair.shown, line, str(case))
            if _ignored(trial, case, pair):
                name = trial.argument(pair.place)
                return Reason(f"an output that depends on {name}", "it does not", 0, str(case))
    return by_autograd(trial)


def gradgradcheck(trial: Trial) -> Reason | None:
    """The gradients of the gradients are those of the attempt's own backward."""
    if gradcheck(trial) is not None:
        seen = "gradcheck does not pass, so it cannot"
        return Reason("gradgradcheck passes", seen, no_answer=True)
    if marked := lines.once_differentiable(trial.outline, trial.function):
        expected = "a backward that can be differentiated"
        return Reason(expected, "it is marked @once_differentiable", marked)
    line = lines.return_line(trial.outline, trial.function, "backward")
    for case in small_cases(trial):
        if reason := _second(trial, case, line):
            return reason
    return by_autograd(trial)


def _second(trial: Trial, case: Case, line: int) -> Reason | None:
    import torch

    places = case.asked()
    weights = [trial.drawer.tensor(case.given[place].value.shape) for place in places]
    steps = [*_steps(case, places), *_seed_steps(case)]
    first, second = trial.ask(Query("backward", steps), Query("double", [case], second=[weights]))
    (double,) = second.each(1)
    if double.failure:
        expected = "a backward that can be differentiated"
        return Reason(expected, double.failure, double.line or line, str(case))
    heights = []
    for answer in first.each(len(steps)):
        if answer.failure:
            return trial.failed(answer, "gradgradcheck passes", case)
        pairs = zip(answer.doubles("grads"), weights, strict=False)
        fitting = [(g, w) for g, w in pairs if g is not None and g.shape == w.shape]
        heights.append(sum(float((g * w).sum()) for g, w in fitting))
    numerical = torch.tensor(
        [
            (plus - minus) / (2 * EPS)
            for plus, minus in zip(heights[::2], heights[1::2], strict=True)
        ],
        dtype=torch.float64,
    )
    at = 0
    sources = [*(case.given[place].value for place in places), *case.seeds]
    names = [*(trial.argument(place) for place in places), *(["grad_output"] * len(case.seeds))]
    second_grads = double.doubles("grads")
    for number, (source, name) in enumerate(zip(sources, names, strict=True)):
        part = numerical[at : at + source.numel()]
        at += source.numel()
        found = _picked(second_grads, number)
        seen = torch.zeros_like(part) if found is None else found.flatten()
        if seen.shape != part.shape or not torch.allclose(seen, part, rtol=RTOL, atol=_SECOND_ATOL):
            return Reason(
                f"the second derivative by {name}: {_short(part)}", _short(seen), line, str(case)
            )
    return None


def _seed_steps(case: Case) -> list[Case]:
    """The case with each element of each ``grad_output`` moved by +EPS, then by -EPS."""
    moved = []
    for index, seed in enumerate(case.seeds):
        for element in range(seed.numel()):
            for step in (EPS, -EPS):
                seeds = list(case.seeds)
                other = seed.clone().contiguous()
                other.view(-1)[element] += step
                seeds[index] = other
                moved.append(replace(case, seeds=tuple(seeds)))
    return moved


def _short(tensor: torch.Tensor) -> str:
    shown = ", ".join(f"{value:.4g}" for value in tensor.flatten()[:4].tolist())
    return f"[{shown}{', …' if tensor.numel() > 4 else ''}]"
