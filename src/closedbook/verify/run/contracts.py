"""The checks of the marked definitions themselves, before any card is looked at."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from closedbook.model.value import Value
from closedbook.verify.job import Mismatch
from closedbook.verify.run.binding import parameters_of, takes_function
from closedbook.verify.run.care import Care
from closedbook.verify.run.experiment import ExperimentRun
from closedbook.verify.run.facts import NotReachedError, fact_of
from closedbook.verify.run.function.run import FunctionRun
from closedbook.verify.run.function.signature import FunctionPlan
from closedbook.verify.run.inputs import BadArgumentError, value_of
from closedbook.verify.run.loading import (
    BrokenGeneratorError,
    Definition,
    Failure,
    Generators,
)
from closedbook.verify.verified import Fact

_ALL_CHOICES = 6
"""Of so many optional arguments every choice is tried: 64 runs, each of two gradchecks."""
_FEW = 2
"""Of more, the choices that leave out, or give, at most so many: any two are tried alone, together
and without each other, and n of them take n * (n + 1) + 2 runs instead of 2 ** n."""
Findings = tuple[dict[str, Fact], list[Mismatch]]


def example_of(definition: Definition) -> dict[str, Value]:
    """Return the example of a ``@reference``. Raises BadArgumentError where it cannot be read."""
    return {name: value_of(raw) for name, raw in (definition.mark.example or {}).items()}


def check_reference(
    definition: Definition, plan: FunctionPlan, care: Care, generators: Generators
) -> Findings:
    """Check a reference at its example, each optional argument given and left out.

    Every choice of them is tried, or where there are many, every choice of a few. gradcheck must
    pass, gradgradcheck as ``double_backward`` says, and two runs must agree to the last bit.
    Raises BadArgumentError where the example does not fit ``forward``.
    """
    facts: dict[str, Fact] = {}
    mismatches: list[Mismatch] = []
    double = definition.mark.double_backward
    second: list[bool] = []
    for label, example in _subsets(example_of(definition), plan):
        run = FunctionRun(plan, example, care, generators.root)
        for name in ("gradcheck", "gradgradcheck"):
            verdict = run.verdict(name)
            facts[f"{name}{label}"] = verdict.said
            if name == "gradgradcheck":
                second.append(verdict.passes)
            if not verdict.passes and (name == "gradcheck" or double):
                mismatches.append(Mismatch(f"{name}{label}", "passes", verdict.explained))
        stable = _stable(run, care)
        facts[f"deterministic{label}"] = stable
        if not stable:
            mismatches.append(
                Mismatch(f"deterministic{label}", "two runs agree", "two runs differ")
            )
    if not double and all(second):
        mismatches.append(
            Mismatch("gradgradcheck", "fails, as double_backward=False says", "passes")
        )
    return facts, mismatches


def _subsets(
    example: Mapping[str, Value], plan: FunctionPlan
) -> Iterator[tuple[str, dict[str, Value]]]:
    """The example with choices of optional arguments left out, and each choice in words."""
    optional = [name for name in plan.names if name in example and name in plan.defaults]
    for count in range(len(optional) + 1):
        if len(optional) > _ALL_CHOICES and _FEW < count < len(optional) - _FEW:
            continue
        for left_out in itertools.combinations(optional, count):
            label = f" without {', '.join(left_out)}" if left_out else ""
            yield label, {key: value for key, value in example.items() if key not in left_out}


def _stable(run: FunctionRun, care: Care) -> bool:
    """Whether forward and backward give the same bits again, other sources of chance disturbed.

    torch's generator is seeded alike before both, so a Function may draw from it.
    """
    with care.disturbed():
        first = _values(run)
    return bool(first == _values(run.again(run.given, 0)))


def _values(run: FunctionRun) -> Any:
    try:
        held = run.run
        held.backward()
        held.reached_gradients()
    except NotReachedError:
        return None
    return [_bits(value) for value in (*held.outputs, *held.gradients.values())]


def _bits(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().contiguous().numpy().tobytes()
    return fact_of(value)


def check_flawed(definition: Definition, care: Care, generators: Generators) -> Findings:
    """Check that what ``caught_by`` names tells a flawed Function from the right one.

    Raises BadArgumentError where either of them cannot be found or run, and BrokenGeneratorError
    where no check can use one.
    """
    right = _right(definition, generators)
    caught_by = definition.mark.caught_by or ""
    if caught_by in ("gradcheck", "gradgradcheck"):
        return _caught_by_gradcheck(caught_by, definition, right, generators, care)
    found = generators.get(caught_by)
    if isinstance(found, Failure):
        raise _not_found(f"caught_by={caught_by!r}", found)
    if found.mark.role != "experiment":
        raise BadArgumentError(f"caught_by={caught_by!r} is no experiment")
    seen = [
        _observe(found, definition, right, name, care, generators)
        for name in (definition.name, right.name)
    ]
    facts: dict[str, Fact] = {}
    for name in sorted({*seen[0], *seen[1]}):
        flawed_fact, right_fact = seen[0].get(name), seen[1].get(name)
        if repr(flawed_fact) != repr(right_fact):
            facts[f"{definition.name}: {name}"] = flawed_fact
            facts[f"{right.name}: {name}"] = right_fact
    if facts:
        return facts, []
    return {}, [
        Mismatch(
            caught_by,
            f"a fact in which {definition.name} differs from {right.name}",
            f"the same facts for both: {', '.join(sorted(seen[0])) or 'none'}",
        )
    ]


def _not_found(named: str, why: Failure) -> BadArgumentError | BrokenGeneratorError:
    if why.broken:
        return BrokenGeneratorError(why.text, why.place)
    return BadArgumentError(f"{named}: {why.text}")


def _right(definition: Definition, generators: Generators) -> Definition:
    of = definition.mark.of
    name = of if isinstance(of, str) else getattr(of, "__name__", repr(of))
    found = generators.get(name)
    if isinstance(found, Failure):
        raise _not_found(f"of={name}", found)
    if found.mark.role != "reference":
        raise BadArgumentError(f"of={name} is no reference: name the right Function")
    return found


def _observe(
    experiment: Definition,
    flawed: Definition,
    right: Definition,
    function: str,
    care: Care,
    generators: Generators,
) -> dict[str, Fact]:
    """The facts of the experiment with that Function; what else it needs is in the example."""
    parameters = parameters_of(experiment)
    takers = [name for name, (kind, _) in parameters.items() if takes_function(kind)]
    if not takers:
        raise BadArgumentError(
            f"caught_by={experiment.name!r} has no parameter annotated "
            f"type[torch.autograd.Function], so it cannot run {flawed.name} and {right.name}"
        )
    arguments: dict[str, Value] = {takers[0]: function}
    example = example_of(right)
    for name, (_, default) in parameters.items():
        if name != takers[0] and default is inspect.Parameter.empty:
            if name not in example:
                raise BadArgumentError(
                    f"caught_by={experiment.name!r} needs {name!r}: give the parameter a default"
                )
            arguments[name] = example[name]
    run = ExperimentRun(experiment, arguments, care, generators)
    return run.everything()


def _caught_by_gradcheck(
    check: str, flawed: Definition, right: Definition, generators: Generators, care: Care
) -> Findings:
    facts: dict[str, Fact] = {}
    mismatches = []
    example = example_of(right)
    for definition, wanted in ((flawed, False), (right, True)):
        run = FunctionRun(FunctionPlan(definition), example, care, generators.root)
        verdict = run.verdict(check)
        name = f"{definition.name}: {check}"
        facts[name] = verdict.said
        if verdict.passes is not wanted:
            mismatches.append(Mismatch(name, "passes" if wanted else "fails", verdict.explained))
    return facts, mismatches
