"""Probes of what is saved: where, who can see it, and how long it lives."""

from __future__ import annotations

import re
from dataclasses import replace

from closedbook.grade.bench import Bench, difference
from closedbook.grade.draws import Case
from closedbook.grade.runner import Answer, Question
from closedbook.grade.session import clean
from closedbook.grade.verdict import Finding

_NOTICED = re.compile(r"modified (by an )?in-?place")


def saved_tensors(bench: Bench) -> Finding | None:
    """No tensor hangs on ctx, and an edit between forward and backward is noticed."""
    case = bench.usual
    places = case.asked()
    held, plain, edited = bench.ask(
        Question("attributes", [case]),
        Question("backward", [case]),
        Question("edit", [case] * len(places), edits=places),
    )
    (found,) = held.each(1)
    if found.failure:
        return bench.failed(found, "a forward that saves what backward needs", case)
    for name in found.listed("names"):
        shown = clean(str(name), 60)
        line = bench.reading.stored_at(str(name))
        return Finding("tensors saved by save_for_backward", f"a tensor on ctx.{shown}", line)
    if bench.reference.saves(case) and not found.count("packed"):
        expected = "tensors saved by save_for_backward"
        return Finding(expected, "nothing was saved so", _saving_line(bench))
    (own,) = plain.each(1)
    if own.failure:
        return bench.failed(own, "a backward that runs", case)
    if not any(own.tensor(entry) is not None for entry in own.listed("grads")):
        return Finding("a backward that returns gradients", "it returned none")
    for place, answer in zip(places, edited.each(len(places)), strict=True):
        if finding := _unnoticed(bench, case, place, own, answer):
            return finding
    finding = _crossed(bench)
    return finding and replace(finding, expected="tensors saved by save_for_backward")


def _unnoticed(bench: Bench, case: Case, place: int, own: Answer, answer: Answer) -> Finding | None:
    """An edited argument must raise, or make no difference because it was not kept."""
    name = bench.argument(place)
    if answer.failure:
        if _NOTICED.search(answer.failure):
            return None
        return bench.failed(answer, f"an error that {name} was edited after forward", case)
    for number, entry in enumerate(own.listed("grads")):
        listed = answer.listed("grads")
        other = answer.tensor(listed[number]) if number < len(listed) else None
        if difference(other, own.tensor(entry)):
            return Finding(
                f"an error when {name} is edited in place between forward and backward",
                "a wrong gradient, in silence",
                _saving_line(bench),
                str(case),
            )
    return None


def _saving_line(bench: Bench) -> int:
    method = "setup_context" if bench.ctx_apart else "forward"
    function = bench.reading.method(bench.function, method)
    return function.lineno if function is not None else 0


def hooks(bench: Bench) -> Finding | None:
    """Backward reads what was saved where the hooks can give it something else."""
    return _crossed(bench)


def _crossed(bench: Bench) -> Finding | None:
    if "crossed" not in bench.memo:
        bench.memo["crossed"] = _cross(bench)
    return bench.memo["crossed"]


def _cross(bench: Bench) -> Finding | None:
    """Give backward the tensors that another process saved: its gradients must be that one's."""
    first = bench.usual
    other = bench.seeded(_like(bench, first))
    mixed = replace(first, seeds=other.seeds)
    packing, plain = bench.ask(Question("pack", [first]), Question("backward", [mixed]))
    (packed,), (own,) = packing.each(1), plain.each(1)
    expected = "a backward that reads what was saved through the saved-tensor hooks"
    for answer in (packed, own):
        if answer.failure:
            return bench.failed(answer, expected, first)
    line = _saving_line(bench)
    saved = [
        tensor for entry in packed.listed("saved") if (tensor := packed.tensor(entry)) is not None
    ]
    if len(saved) < len(packed.listed("saved")):
        return Finding(expected, "a saved tensor of a kind that cannot be carried over", line)
    if bench.reference.saves(first) and not saved:
        return Finding(expected, "the hooks saw nothing saved", line)
    (crossing,) = bench.ask(Question("substitute", [other], second=[saved]))
    (crossed,) = crossing.each(1)
    if crossed.failure:
        return bench.failed(crossed, expected, first)
    varied = False
    pairs = zip(crossed.listed("grads"), own.listed("grads"), strict=False)
    for entry, described in pairs:
        should = own.tensor(described)
        varied = varied or should is not None
        if difference(crossed.tensor(entry), should):
            return Finding(expected, "it used tensors that the hooks never saw", line)
    if not varied:
        return Finding(expected, "backward returned no gradient to compare", line)
    return None


def _like(bench: Bench, case: Case) -> Case:
    """Other values in the same shapes; plain arguments stay as they are."""
    for place in case.tensors():
        case = case.with_value(place, bench.drawer.tensor(case.given[place].value.shape))
    return case


def freed(bench: Bench) -> Finding | None:
    """Arguments are freed after backward, nothing runs in a circle, a second backward raises."""
    case = bench.usual
    (answer,) = bench.ask(Question("life", [case]))
    if answer.failure:
        return bench.failed(answer, "a backward after which all is freed", case)
    line = _saving_line(bench)
    if not isinstance(answer.body.get("after_backward"), list):
        return Finding("an account of what is alive", "no such answer came")
    stages = (
        ("after_backward", "backward"),
        ("after_output", "the output is gone"),
        ("after_collect", "the output is gone, and after a garbage collection"),
        ("copied", "the output is gone, as a copy"),
    )
    for key, words in reversed(stages):
        alive = [place for place in answer.listed(key) if type(place) is int]
        names = [bench.argument(p) for p in alive if 0 <= p < len(bench.reference.arguments)]
        if names:
            seen = f"{' and '.join(names)} still alive after {words}"
            return Finding("what was saved is freed when backward has finished", seen, line)
    if answer.body.get("cycle") is not False:
        seen = "a reference cycle: the output outlives its last name"
        return Finding("an output that is freed with its last name", seen, line)
    if bench.reference.saves(case) and "second time" not in answer.text("again"):
        seen = "it went through" if not answer.text("again") else answer.text("again")
        return Finding("a second backward that raises: nothing is left to read", seen, line)
    return None
