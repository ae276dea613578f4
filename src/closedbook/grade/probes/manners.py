"""Probes of the contract's form: setup_context apart, and no work that nobody asked for."""

from __future__ import annotations

from closedbook.grade.bench import Bench, gradient_line
from closedbook.grade.runner import Question
from closedbook.grade.verdict import Finding


def setup_context(bench: Bench) -> Finding | None:
    """``setup_context`` is written apart, and forward takes the inputs alone."""
    expected = "forward(inputs...) and setup_context(ctx, inputs, output)"
    apart = bench.reading.method(bench.function, "setup_context")
    forward = bench.reading.method(bench.function, "forward")
    if forward is None:
        return Finding(expected, "there is no forward")
    if apart is None:
        return Finding(expected, "forward(ctx, ...), and no setup_context", forward.lineno)
    first = [*forward.args.posonlyargs, *forward.args.args][:1]
    if first and first[0].arg == "ctx":
        return Finding(expected, "forward takes ctx", forward.lineno)
    if bench.forwards[0].failure:
        return bench.failed(bench.forwards[0], "a forward that runs with them", bench.usual)
    return None


def needs_input_grad(bench: Bench) -> Finding | None:
    """With an argument frozen, backward does less work and returns None in its place."""
    case = bench.usual
    places = case.asked()
    if len(places) < 2:
        return _alone(bench)
    frozen = [case.only(*(other for other in places if other != place)) for place in places]
    alone = [case.only(place) for place in places]
    (answer,) = bench.ask(Question("work", [case, *frozen, *alone]))
    whole, *rest = answer.each(len(frozen) + len(alone) + 1)
    parts, singles = rest[: len(frozen)], rest[len(frozen) :]
    if whole.failure:
        return bench.failed(whole, "a backward that runs", case)
    for place, part, single, less in zip(places, parts, singles, frozen, strict=True):
        name = bench.argument(place)
        line = gradient_line(bench, place)
        expected = f"no gradient computed for {name} when it needs none"
        if part.failure:
            return bench.failed(part, expected, less)
        returned = part.listed("returned")
        if place < len(returned) and returned[place] is not None:
            return Finding(expected, "a tensor was returned", line)
        free = not single.failure and not single.count("operations")
        if part.count("operations") >= whole.count("operations") and not free:
            return Finding(expected, "it was computed all the same", line)
    return None


def _alone(bench: Bench) -> Finding | None:
    """With one tensor there is nothing to leave out: backward is not even called."""
    if bench.backwards[0].failure:
        return bench.failed(bench.backwards[0], "a backward that runs", bench.usual)
    return None
