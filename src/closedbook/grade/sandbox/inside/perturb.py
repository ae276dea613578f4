"""What backward works out, and which of it the gradients depend on.

Every value that an operation of backward makes is written down. Then backward runs again, once
for each of these values, with that value scaled: where the gradients stay as they were, nothing
that is returned depends on it. What follows from that is decided by the grader. Where backward
does something else from one run to the next, each run has a process of its own, forked from the
same state.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import acts  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox
import fork  # type: ignore[import-not-found]  # likewise
import torch
from acts import Outgoing, Request  # likewise
from operations import Both, MadeValue, Record  # type: ignore[import-not-found]  # likewise

if TYPE_CHECKING:
    from collections.abc import Callable

    Told = tuple[Request, list[torch.Tensor]]
    Ask = Callable[[Request], Told]

_MOST = 48
"""Values that are scaled: each costs a run or two of the few seconds that a session has."""
_ALL = 6000
"""Values scaled, times values made in each run: of a longer backward fewer are scaled, in time."""
_AGAIN = 0.2
"""How likely a run with nothing scaled comes before a scaled one: at random, so that an attempt
cannot know which it is; seldom, since it costs as much."""
_Ran = tuple[Record, list[Any], tuple[torch.Tensor | None, ...]]


def _run(
    function: Any, case: Request, tensors: list[torch.Tensor], change: dict[int, float]
) -> _Ran:
    """One backward: what it made, what it returned, and the gradients."""
    record, log = Record(change), []  # type: tuple[Record, list[Any]]
    random.seed(0)
    torch.manual_seed(0)
    arguments, seeds = acts.take_arguments(case, tensors), acts.take_seeds(case, tensors)
    outputs = acts.call_on(acts.watched_by(function, log, Both(record)), arguments)
    gradients = acts.gradients_of(outputs, acts.wanted_of(arguments), seeds)
    return record, acts.parts_of(log[-1] if log else None), gradients


def work(function: Any, request: Request, tensors: list[torch.Tensor], out: Outgoing) -> Request:
    """For each case what backward returned, and for each value what scaling it comes to.

    ``factors`` are the scales. ``look`` holds values: only what is alike is scaled, and ``like``
    says which of them it is; without it all values that there are, or a sample where that would
    be too many. A run that raises counts as one that changes nothing: what only a check of the
    attempt's own depends on is not returned.
    """
    wanted: dict[Any, list[int]] = {}
    for number, t in enumerate(request.get("look", ())):
        wanted.setdefault(MadeValue("", 0, tensors[t]).key(), []).append(number)

    def one(case: Request) -> Request:
        def scaled(order: Request) -> Told:
            return _scaled(function, case, tensors, order["indices"], order["factor"])

        def whole(ask: Ask) -> Told:
            mine = Outgoing()
            try:
                run = _run(function, case, tensors, {})
                chosen = _chosen(run[0], wanted) if request["factors"] else []
                orders = [(indices, f) for indices in chosen for f in request["factors"]]
                try:
                    then = [
                        mine.take(*told) for told in _here(function, case, tensors, run, orders)
                    ]
                except _NotTheSameError:
                    orders_apart = ({"indices": i, "factor": f} for i, f in orders)
                    then = [mine.take(*ask(order)) for order in orders_apart]
                told = _told(run, chosen, then, wanted, mine)
            except BaseException as error:  # an answer, too
                return {"error": acts.describe(error)}, []
            return told, mine.tensors

        told, found = fork.direct(whole, scaled)
        return out.take(told, found)

    return acts.each_case(request, one)


class _NotTheSameError(Exception):
    """A run with nothing scaled was not as the first: the attempt keeps something between runs."""


def _here(
    function: Any,
    case: Request,
    tensors: list[torch.Tensor],
    first: _Ran,
    orders: list[tuple[list[int], float]],
) -> list[Told]:
    """The scaled runs in this process, one after another; now and then one with nothing scaled.

    Raises :class:`_NotTheSameError`: then each run has to have a process of its own.
    """
    told: list[Told] = []
    dice = random.Random()  # noqa: S311  nobody may foresee when
    for indices, factor in orders:
        if not told or dice.random() < _AGAIN:
            _same(_run(function, case, tensors, {}), first)
        told.append(_scaled(function, case, tensors, indices, factor))
    if orders:
        _same(_run(function, case, tensors, {}), first)
    return told


def _same(run: _Ran, first: _Ran) -> None:
    keys = [[(made.name, made.key()) for made in record.made] for record, _, _ in (run, first)]
    pairs = zip(run[2], first[2], strict=True)
    alike = all(
        one is other or (one is not None and other is not None and _equal(one, other))
        for one, other in pairs
    )
    if keys[0] != keys[1] or not alike:
        raise _NotTheSameError


def _equal(one: torch.Tensor, other: torch.Tensor) -> bool:
    return one.shape == other.shape and torch.allclose(one, other, 0.0, 0.0, equal_nan=True)


def _scaled(
    function: Any,
    case: Request,
    tensors: list[torch.Tensor],
    indices: list[int],
    factor: float,
) -> Told:
    """The gradients of a run in which these values are scaled; none where it raises."""
    mine = Outgoing()
    try:
        found = _run(function, case, tensors, dict.fromkeys(indices, factor))[2]
    except BaseException:  # an attempt's own check may raise anything
        return {}, []
    return {"grads": [mine.put(g) for g in found]}, mine.tensors


def _told(
    run: _Ran,
    chosen: list[list[int]],
    then: list[Request],
    wanted: dict[Any, list[int]],
    out: Outgoing,
) -> Request:
    """What one backward returned, and what came of scaling each of its values by each factor."""
    record, returned, gradients = run
    described = [out.put(g) for g in gradients]
    values = []
    each = len(then) // max(1, len(chosen))
    for number, indices in enumerate(chosen):
        made = record.made[indices[0]]
        rows = then[number * each : (number + 1) * each]
        as_it_is = made.value.dtype is torch.bool or made.value.is_complex()
        value = out.put(made.value if as_it_is else made.value.double())
        told = {"name": made.name, "line": made.line, "value": value}
        told["then"] = [row.get("grads", described) for row in rows]
        values.append({**told, "like": wanted.get(made.key(), [])})
    return {"returned": [acts.shape_of(r) for r in returned], "grads": described, "values": values}


def _chosen(record: Record, wanted: dict[Any, list[int]]) -> list[list[int]]:
    """The values to scale: what is alike together, and a sample where that is too many."""
    alike: dict[tuple[Any, ...], list[int]] = {}
    for index, made in enumerate(record.made):
        key = made.key()
        if key is not None and (not wanted or key in wanted):
            alike.setdefault(key, []).append(index)
    most = max(8, min(_MOST, _ALL // max(1, len(record.made))))
    chosen = list(alike.values())
    if len(chosen) <= most:
        return chosen
    return random.Random().sample(chosen, most)  # noqa: S311  nobody may foresee which
