"""Probes that compare tensors: forward, the gradients, what backward returned and left behind."""

from __future__ import annotations

from typing import Any

from closedbook.grade.answer import Answer
from closedbook.grade.compare import difference
from closedbook.grade.draws import Case
from closedbook.grade.printable import clean
from closedbook.grade.sandbox.inside import wire
from closedbook.grade.text import lines, shortcuts
from closedbook.grade.trial import Trial, gradient_line
from closedbook.grade.verdict import Reason


def forward(trial: Trial) -> Reason | None:
    """Outputs agree with the reference's over every case, by tensor operations alone."""
    for shortcut in shortcuts.builtins(trial.outline, trial.function, trial.forbid):
        return Reason(
            "forward written with tensor operations", f"it calls {shortcut.what}", shortcut.line
        )
    line = lines.return_line(trial.outline, trial.function, "forward")
    answers = trial.forwards
    for name in sorted(trial.called.get("forward", ())):
        if _forbidden(name, trial.forbid):
            seen = f"it calls {clean(name.replace('torch._C._nn.', 'torch.nn.functional.'), 60)}"
            return Reason("forward written with tensor operations", seen, line)
    for case, answer in zip(trial.cases, answers, strict=True):
        if answer.failure:
            return trial.failed(answer, "an output", case)
        if reason := _outputs(trial, case, answer, line) or _edited(case, answer, line):
            return reason
    return None


def _outputs(trial: Trial, case: Case, answer: Answer, line: int) -> Reason | None:
    expected = trial.reference.outputs(case)
    described = answer.listed("outputs")
    if len(described) != len(expected):
        seen = f"{len(described)} outputs"
        return Reason(f"{len(expected)} output(s)", seen, line, str(case))
    for one, entry in zip(expected, described, strict=True):
        tensor = answer.tensor(entry)
        if tensor is None:
            kind = entry.get("type") if isinstance(entry, dict) else None
            seen = kind if isinstance(kind, str) else "None"
            return Reason("a tensor", f"{seen[:60]}", line, str(case))
        if apart := difference(tensor, one):
            return Reason(f"output {apart[0]}", apart[1], line, str(case))
    return None


def _edited(case: Case, answer: Answer, line: int) -> Reason | None:
    """Forward must leave its arguments alone."""
    after = answer.listed("args")
    for place in case.tensors():
        tensor = answer.tensor(after[place] if place < len(after) else None)
        if tensor is None or difference(tensor, case.given[place].value):
            name = case.names[place]
            return Reason(f"{name} as it was", f"forward changed {name}", line, str(case))
    return None


def _forbidden(name: str, forbid: tuple[str, ...]) -> bool:
    """Whether a called name is one of these, below one of these, or ends in one of these."""
    name = name.replace("torch._C._nn.", "torch.nn.functional.")
    last = name.rpartition(".")[2]
    return any(name == f or name.startswith(f"{f}.") or last == f for f in forbid)


def by_autograd(trial: Trial) -> Reason | None:
    """Autograd asked for what the attempt should write: in its text, or in the runs so far."""
    for shortcut in shortcuts.autograd(trial.outline, trial.function):
        seen = f"it asks autograd: {shortcut.what}"
        return Reason("a backward written by hand", seen, shortcut.line)
    for method, names in sorted(trial.called.items()):
        if wire.ENGINE in names:
            line = lines.return_line(trial.outline, trial.function, method)
            return Reason("a backward written by hand", "it asks autograd for a derivative", line)
    return None


def gradients(trial: Trial) -> Reason | None:
    """Gradients agree with the reference's over every case, all at once and one at a time."""
    answers = trial.backwards
    if reason := by_autograd(trial):
        return reason
    for case, answer in zip(trial.backward_cases, answers, strict=True):
        if answer.failure:
            return trial.failed(answer, "a gradient for each tensor", case)
        expected = trial.reference.gradients(case)
        described = answer.listed("grads")
        for index, place in enumerate(case.asked()):
            entry = described[index] if index < len(described) else None
            if apart := difference(answer.tensor(entry), expected[place]):
                name = f"grad_{trial.argument(place)}"
                line = gradient_line(trial, place)
                return Reason(f"{name} {apart[0]}", apart[1], line, str(case))
    return None


def shapes(trial: Trial) -> Reason | None:
    """What backward returned has its input's shape before autograd sums it down to that."""
    seen_any = False
    if trial.backwards[0].failure:
        return trial.failed(trial.backwards[0], "a gradient for each tensor", trial.usual)
    for case, answer in zip(trial.backward_cases, trial.backwards, strict=True):
        returned = answer.listed("returned")
        for place in case.asked():
            entry = returned[place] if place < len(returned) else None
            found = entry.get("shape") if isinstance(entry, dict) else None
            expected = list(case.given[place].value.shape)
            seen_any = seen_any or isinstance(found, list)
            if isinstance(found, list) and found != expected:
                return _silently_summed(trial, place, found, case)
    if not seen_any:
        return Reason("gradients whose shape can be seen", "backward returned no tensor")
    return None


def _silently_summed(trial: Trial, place: int, found: list[Any], case: Case) -> Reason:
    expected = tuple(case.given[place].value.shape)
    shown = str(tuple(n for n in found if type(n) is int))
    name = trial.argument(place)
    return Reason(
        f"grad_{name} of shape {expected}",
        f"shape {shown}, which autograd sums to {expected} in silence",
        gradient_line(trial, place),
        str(case),
    )


def none_for_non_tensors(trial: Trial) -> Reason | None:
    """One returned value an input, and None in the place of each that is no tensor."""
    line = lines.return_line(trial.outline, trial.function, "backward")
    for case, answer in zip(trial.backward_cases, trial.backwards, strict=True):
        plain = len(case.tensors()) < len(case.given)
        if answer.failure and (plain or case is trial.usual):
            return trial.failed(answer, "one gradient for each input, None for a number", case)
        if answer.failure:
            continue
        returned = answer.listed("returned")
        if len(returned) != len(case.given):
            expected = f"{len(case.given)} values, one for each input of forward"
            return Reason(expected, f"backward returned {len(returned)}", line, str(case))
        for place, (given, entry) in enumerate(zip(case.given, returned, strict=True)):
            if not given.is_tensor and entry is not None:
                name = trial.argument(place)
                at = gradient_line(trial, place)
                return Reason(f"None for {name}", "a tensor", at, str(case))
    return None


def grad_output_untouched(trial: Trial) -> Reason | None:
    """After backward, grad_output and the arguments hold what they held, at the same version."""
    line = lines.written_at(trial.outline, trial.function)
    if trial.backwards[0].failure:
        expected = "a backward that leaves grad_output alone"
        return trial.failed(trial.backwards[0], expected, trial.usual)
    for case, answer in zip(trial.backward_cases, trial.backwards, strict=True):
        if answer.failure:
            continue  # another probe's business: here the cases count that ran
        for seed, entry, writes in zip(
            case.seeds, answer.listed("seeds"), answer.counts("writes"), strict=False
        ):
            apart = difference(answer.tensor(entry), seed)
            if apart or writes != 0:
                times = {0: "", 1: ", once"}.get(writes, f", {writes} times")
                seen = f"backward wrote into it in place{times}"
                return Reason("grad_output as it was", seen, line, str(case))
        if reason := _edited(case, answer, line):
            return Reason(reason.expected, "backward changed it", line, str(case))
    if not any(entry is not None for entry in trial.backwards[0].listed("returned")):
        return Reason("a backward that returns a gradient", "it returned none", line)
    return None
