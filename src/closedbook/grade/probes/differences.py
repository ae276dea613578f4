"""gradcheck and gradgradcheck, computed here from the attempt's bare outputs and gradients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from closedbook.grade.bench import Bench, gradient_line
from closedbook.grade.draws import Case
from closedbook.grade.probes.values import _by_autograd
from closedbook.grade.runner import Answer, Question
from closedbook.grade.verdict import Finding

if TYPE_CHECKING:
    import torch

EPS, ATOL, RTOL = 1e-6, 1e-4, 1e-3
_SECOND_ATOL = 1e-3


@dataclass(frozen=True, slots=True)
class Mismatch:
    """The first place where the two Jacobians differ, as ``gradcheck`` names it."""

    output: int
    input: int
    numerical: torch.Tensor
    analytical: torch.Tensor

    @property
    def message(self) -> str:
        """The text that ``torch.autograd.gradcheck`` raises."""
        return (
            f"Jacobian mismatch for output {self.output} with respect to input {self.input},\n"
            f"numerical:{self.numerical}\nanalytical:{self.analytical}\n"
        )


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


def small_cases(bench: Bench) -> list[Case]:
    """Small double inputs: everything given, and each optional tensor left out."""
    drawer = bench.drawer
    cases = [drawer.case("gradcheck", small=True)]
    cases += [
        drawer.case(f"gradcheck, no {name}", small=True, without=(name,))
        for name in drawer.optional()
    ]
    return [bench.seeded(case) for case in cases]


def jacobian_mismatch(bench: Bench, case: Case) -> Mismatch | Answer | str | None:
    """The first mismatch of one case; an answer that failed; a sentence; None where all is well."""
    import torch

    steps, picked = _steps(case, case.asked()), _one_hot(case)
    forward, backward = bench.ask(Question("forward", steps), Question("backward", picked))
    outputs, rows = forward.each(len(steps)), backward.each(len(picked))
    for answer in (*outputs, *rows):
        if answer.failure:
            return answer
    values = [[a.tensor(entry) for entry in a.listed("outputs")] for a in outputs]
    column = 0
    for index, seed in enumerate(case.seeds):
        at = 0
        for number, place in enumerate(case.asked()):
            size = case.given[place].value.numel()
            numerical = torch.zeros(size, seed.numel(), dtype=torch.float64)
            for element in range(size):
                plus, minus = (_picked(values[at + 2 * element + k], index) for k in (0, 1))
                if plus is None or minus is None or not plus.shape == minus.shape == seed.shape:
                    return f"an output of shape {tuple(seed.shape)}"
                numerical[element] = ((plus - minus) / (2 * EPS)).flatten()
            at += 2 * size
            analytical = torch.zeros_like(numerical)
            for element in range(seed.numel()):
                grads = rows[column + element]
                listed = grads.listed("grads")
                found = grads.tensor(listed[number]) if number < len(listed) else None
                if found is not None and found.numel() == size:
                    analytical[:, element] = found.flatten()
            if not torch.allclose(analytical, numerical, rtol=RTOL, atol=ATOL):
                return Mismatch(index, place, numerical, analytical)
            if finding := _constant(bench, case, place, index, numerical):
                return finding
        column += seed.numel()
    return None


def _picked(values: Sequence[torch.Tensor | None], index: int) -> torch.Tensor | None:
    return values[index] if index < len(values) else None


def _constant(
    bench: Bench, case: Case, place: int, index: int, numerical: torch.Tensor
) -> str | None:
    """A forward that ignores an argument agrees with a backward of zeros, and proves nothing."""
    if numerical.any():
        return None
    arguments, outputs = bench.reference.call(case)
    if outputs[index].numel() == 0:
        return None
    import torch

    (found,) = torch.autograd.grad(
        outputs[index], arguments[place], case.seeds[index], allow_unused=True
    )
    if found is None or not found.any():
        return None
    return f"an output that depends on {bench.argument(place)}"


def gradcheck(bench: Bench) -> Finding | None:
    """The attempt's gradients are those of the attempt's own forward."""
    if finding := _by_autograd(bench):
        return finding
    for case in small_cases(bench):
        found = jacobian_mismatch(bench, case)
        if isinstance(found, Answer):
            return bench.failed(found, "gradcheck passes", case)
        if isinstance(found, str):
            return Finding(found, "it is not there", 0, str(case))
        if found is not None:
            line = gradient_line(bench, found.input)
            return Finding("gradcheck passes", found.message.strip(), line, str(case))
    return None


def gradgradcheck(bench: Bench) -> Finding | None:
    """The gradients of the gradients are those of the attempt's own backward."""
    if gradcheck(bench) is not None:
        return Finding("gradgradcheck passes", "gradcheck does not pass, so it cannot")
    line = bench.reading.return_line(bench.function, "backward")
    for case in small_cases(bench):
        if finding := _second(bench, case, line):
            return finding
    return None


def _second(bench: Bench, case: Case, line: int) -> Finding | None:
    import torch

    places = case.asked()
    weights = [bench.drawer.tensor(case.given[place].value.shape) for place in places]
    steps = [*_steps(case, places), *_seed_steps(case)]
    first, second = bench.ask(
        Question("backward", steps), Question("double", [case], second=[weights])
    )
    (double,) = second.each(1)
    if double.failure:
        expected = "a backward that can be differentiated"
        return Finding(expected, double.failure, double.line or line, str(case))
    heights = []
    for answer in first.each(len(steps)):
        if answer.failure:
            return bench.failed(answer, "gradgradcheck passes", case)
        listed = answer.listed("grads")
        tensors = [answer.tensor(entry) for entry in listed]
        pairs = zip(tensors, weights, strict=False)
        heights.append(sum(float((g * w).sum()) for g, w in pairs if g is not None))
    numerical = torch.tensor(
        [(plus - minus) / (2 * EPS) for plus, minus in zip(heights[::2], heights[1::2], strict=True)],
        dtype=torch.float64,
    )
    at = 0
    sources = [*(case.given[place].value for place in places), *case.seeds]
    names = [*(bench.argument(place) for place in places), *(["grad_output"] * len(case.seeds))]
    listed = double.listed("grads")
    for number, (source, name) in enumerate(zip(sources, names, strict=True)):
        part = numerical[at : at + source.numel()]
        at += source.numel()
        found = double.tensor(listed[number]) if number < len(listed) else None
        seen = torch.zeros_like(part) if found is None else found.flatten()
        if seen.shape != part.shape or not torch.allclose(seen, part, rtol=RTOL, atol=_SECOND_ATOL):
            return Finding(
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
