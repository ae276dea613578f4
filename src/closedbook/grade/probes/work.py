"""The probe of wasted work: what is worked out that no wanted gradient depends on.

An operation of backward serves a gradient where scaling what it made changes that gradient. With
an argument frozen every one must serve a gradient that is wanted; excused is what serves none
where all are wanted either, as checks do. How many operations there are is no matter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from closedbook.grade.answer import Answer
from closedbook.grade.printable import clean
from closedbook.grade.runner import Query
from closedbook.grade.text import lines
from closedbook.grade.trial import Trial, gradient_line
from closedbook.grade.verdict import Reason

if TYPE_CHECKING:
    import torch

    from closedbook.grade.draws import Case

_SCALES = (1.37, -0.73)
"""Two, since a sign or a norm may be blind for one of them."""


def needs_input_grad(trial: Trial) -> Reason | None:
    """With an argument frozen, backward works out nothing for it and returns None in its place."""
    case = trial.usual
    places = case.asked()
    if len(places) < 2:
        return _alone(trial)
    frozen = [case.only(*(other for other in places if other != place)) for place in places]
    first, second = trial.ask(
        Query("work", [case], {"factors": ()}),
        Query("work", frozen, {"factors": _SCALES[:1]}),
    )
    (whole,) = first.each(1)
    if whole.failure:
        return trial.failed(whole, "a backward that runs", case)
    gradients = [whole.tensor(described) for described in whole.listed("grads")]
    if not any(gradient is not None and gradient.any() for gradient in gradients):
        line = lines.return_line(trial.outline, trial.function, "backward")
        return Reason("a backward that works gradients out", "it works out none", line)
    for place, less, answer in zip(places, frozen, second.each(len(frozen)), strict=True):
        if reason := _wasted(trial, place, less, answer):
            return reason
    return None


def _wasted(trial: Trial, place: int, frozen: Case, answer: Answer) -> Reason | None:
    expected = f"no gradient computed for {trial.argument(place)} when it needs none"
    if answer.failure:
        return trial.failed(answer, expected, frozen)
    returned = answer.listed("returned")
    if place < len(returned) and returned[place] is not None:
        return Reason(expected, "a tensor was returned", gradient_line(trial, place))
    idle = [value for value in _values(answer) if not value.serves]
    if not idle:
        return None
    again, whole = _with_and_without(trial, frozen, [value.tensor for value in idle])
    for part in (again, whole):
        if part.failure:
            return trial.failed(part, expected, frozen)
    excused = _like(whole) - _like(whole, serving=True) | _like(again, serving=True)
    for number, value in enumerate(idle):
        if number not in excused:
            at = value.line if value.line > 0 else gradient_line(trial, place)
            seen = f"`{value.name}` was run, and no gradient that is wanted depends on it"
            return Reason(expected, seen, at)
    return None


def _with_and_without(
    trial: Trial, frozen: Case, values: Sequence[torch.Tensor]
) -> tuple[Answer, Answer]:
    """The frozen run once more, and the run with all gradients wanted, both for these values."""
    (answer,) = trial.ask(Query("work", [frozen, trial.usual], {"factors": _SCALES}, look=values))
    again, whole = answer.each(2)
    return again, whole


@dataclass(frozen=True, slots=True)
class _Value:
    """What an operation of backward made, and whether a gradient changes where it is scaled.

    ``like`` are the numbers of the values that were looked for and are as this one.
    """

    name: str
    line: int
    tensor: torch.Tensor
    like: frozenset[int]
    serves: bool


def _values(answer: Answer) -> list[_Value]:
    """The values of one run. Raises ``UnusableAnswerError``."""
    plain = [answer.tensor(described) for described in answer.listed("grads")]
    return [
        _Value(
            clean(told.text("name"), 40),
            told.count("line"),
            tensor,
            frozenset(told.counts("like")),
            _serves(told, plain),
        )
        for told in answer.parts("values")
        if (tensor := told.tensor(told.body.get("value"))) is not None
    ]


def _like(answer: Answer, *, serving: bool = False) -> set[int]:
    """The numbers of the values that were looked for and found; of those that serve a gradient."""
    return {n for value in _values(answer) if value.serves or not serving for n in value.like}


def _serves(told: Answer, plain: Sequence[torch.Tensor | None]) -> bool:
    """Whether a gradient changes, to another number, where a value is scaled."""
    for row in told.listed("then"):
        scaled = [told.tensor(d) for d in row] if isinstance(row, list) else []
        for one, other in zip(scaled, plain, strict=False):
            finite = one is not None and bool(one.isfinite().all())
            if finite and one is not None and _moved(one, other):
                return True
    return False


def _moved(one: torch.Tensor, other: torch.Tensor | None) -> bool:
    """Whether a gradient is another, by more than the last digits that a right one may vary in."""
    import torch

    if other is None or one.shape != other.shape or one.dtype != other.dtype:
        return True
    return not torch.allclose(one, other, rtol=1e-5, atol=1e-8, equal_nan=True)


def _alone(trial: Trial) -> Reason | None:
    """With one tensor there is nothing to leave out: backward is not even called."""
    if trial.backwards[0].failure:
        return trial.failed(trial.backwards[0], "a backward that runs", trial.usual)
    return None
