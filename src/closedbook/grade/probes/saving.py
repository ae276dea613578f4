"""Probes of what is saved: where, who can see it, and how long it lives."""

from __future__ import annotations

import re
from dataclasses import replace

from closedbook.grade.answer import Answer
from closedbook.grade.compare import difference
from closedbook.grade.draws import Case
from closedbook.grade.printable import clean
from closedbook.grade.runner import Query
from closedbook.grade.text import lines
from closedbook.grade.trial import Trial
from closedbook.grade.verdict import Reason

_NOTICED = re.compile(r"modified (by an )?in-?place")


def saved_tensors(trial: Trial) -> Reason | None:
    """No tensor hangs on ctx, and an edit between forward and backward is noticed."""
    case = trial.usual
    places = case.asked()
    held, plain, edited = trial.ask(
        Query("attributes", [case]),
        Query("backward", [case]),
        Query("edit", [case] * len(places), edits=places),
    )
    (found,) = held.each(1)
    if found.failure:
        return trial.failed(found, "a forward that saves what backward needs", case)
    for name in found.texts("names"):
        line = lines.stored_at(trial.outline, name)
        seen = f"a tensor on ctx.{clean(name, 60)}"
        return Reason("tensors saved by save_for_backward", seen, line)
    if trial.reference.saves(case) and not found.count("packed"):
        expected = "tensors saved by save_for_backward"
        return Reason(expected, "nothing was saved so", _saving_line(trial))
    (own,) = plain.each(1)
    if own.failure:
        return trial.failed(own, "a backward that runs", case)
    if not any(own.tensor(entry) is not None for entry in own.listed("grads")):
        return Reason("a backward that returns gradients", "it returned none")
    for place, answer in zip(places, edited.each(len(places)), strict=True):
        if reason := _unnoticed(trial, case, place, own, answer):
            return reason
    reason = _crossed(trial)
    return reason and replace(reason, expected="tensors saved by save_for_backward")


def _unnoticed(trial: Trial, case: Case, place: int, own: Answer, answer: Answer) -> Reason | None:
    """An edited argument must raise, or make no difference because it was not kept."""
    name = trial.argument(place)
    if answer.failure:
        if _NOTICED.search(answer.failure):
            return None
        return trial.failed(answer, f"an error that {name} was edited after forward", case)
    for number, entry in enumerate(own.listed("grads")):
        listed = answer.listed("grads")
        other = answer.tensor(listed[number]) if number < len(listed) else None
        if difference(other, own.tensor(entry)):
            return Reason(
                f"an error when {name} is edited in place between forward and backward",
                "a wrong gradient, in silence",
                _saving_line(trial),
                str(case),
            )
    return None


def _saving_line(trial: Trial) -> int:
    method = "setup_context" if trial.ctx_apart else "forward"
    function = trial.outline.method(trial.function, method)
    return function.lineno if function is not None else 0


def hooks(trial: Trial) -> Reason | None:
    """Backward reads what was saved where the hooks can give it something else."""
    return _crossed(trial)


def _crossed(trial: Trial) -> Reason | None:
    if "crossed" not in trial.memo:
        trial.memo["crossed"] = _cross(trial)
    return trial.memo["crossed"]


def _cross(trial: Trial) -> Reason | None:
    """Give backward the tensors that another process saved: its gradients must be that one's."""
    first = trial.usual
    other = trial.seeded(_like(trial, first))
    mixed = replace(first, seeds=other.seeds)
    packing, plain = trial.ask(Query("pack", [first]), Query("backward", [mixed]))
    (packed,), (own,) = packing.each(1), plain.each(1)
    expected = "a backward that reads what was saved through the saved-tensor hooks"
    for answer in (packed, own):
        if answer.failure:
            return trial.failed(answer, expected, first)
    line = _saving_line(trial)
    saved = [
        tensor for entry in packed.listed("saved") if (tensor := packed.tensor(entry)) is not None
    ]
    if len(saved) < len(packed.listed("saved")):
        return Reason(expected, "a saved tensor of a kind that cannot be carried over", line)
    if trial.reference.saves(first) and not saved:
        return Reason(expected, "the hooks saw nothing saved", line)
    (crossing,) = trial.ask(Query("substitute", [other], second=[saved]))
    (crossed,) = crossing.each(1)
    if crossed.failure:
        return trial.failed(crossed, expected, first)
    varied = False
    pairs = zip(crossed.listed("grads"), own.listed("grads"), strict=False)
    for entry, described in pairs:
        should = own.tensor(described)
        varied = varied or should is not None
        if difference(crossed.tensor(entry), should):
            return Reason(expected, "it used tensors that the hooks never saw", line)
    if not varied:
        return Reason(expected, "backward returned no gradient to compare", line)
    return None


def _like(trial: Trial, case: Case) -> Case:
    """Other values in the same shapes; plain arguments stay as they are."""
    for place in case.tensors():
        case = case.with_value(place, trial.drawer.tensor(case.given[place].value.shape))
    return case


def freed(trial: Trial) -> Reason | None:
    """Arguments are freed after backward, nothing runs in a circle, a second backward raises."""
    case = trial.usual
    (answer,) = trial.ask(Query("life", [case]))
    if answer.failure:
        return trial.failed(answer, "a backward after which all is freed", case)
    line = _saving_line(trial)
    if not isinstance(answer.body.get("after_backward"), list):
        return Reason("an account of what is alive", "no such answer came")
    stages = (
        ("after_backward", "backward"),
        ("after_output", "the output is gone"),
        ("after_collect", "the output is gone, and after a garbage collection"),
        ("copied", "the output is gone, as a copy"),
    )
    for key, words in reversed(stages):
        alive = [place for place in answer.listed(key) if type(place) is int]
        names = [trial.argument(p) for p in alive if 0 <= p < len(trial.reference.arguments)]
        if names:
            seen = f"{' and '.join(names)} still alive after {words}"
            return Reason("what was saved is freed when backward has finished", seen, line)
    if answer.body.get("cycle") is not False:
        seen = "a reference cycle: the output outlives its last name"
        return Reason("an output that is freed with its last name", seen, line)
    if trial.reference.saves(case) and "second time" not in answer.text("again"):
        seen = "it went through" if not answer.text("again") else answer.text("again")
        return Reason("a second backward that raises: nothing is left to read", seen, line)
    return None
