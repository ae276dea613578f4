"""Probes that compare tensors: forward, the gradients, what backward returned and left behind."""

from __future__ import annotations

from typing import Any

from closedbook.grade.bench import Bench, difference, gradient_line
from closedbook.grade.draws import Case
from closedbook.grade.runner import Answer
from closedbook.grade.session import clean
from closedbook.grade.verdict import Finding


def forward(bench: Bench) -> Finding | None:
    """Outputs agree with the reference's over every case, by tensor operations alone."""
    for shortcut in bench.reading.builtins(bench.function, bench.forbid):
        return Finding(
            "forward written with tensor operations", f"it calls {shortcut.what}", shortcut.line
        )
    line = bench.reading.return_line(bench.function, "forward")
    answers = bench.forwards
    for name in sorted(bench.called.get("forward", ())):
        if _forbidden(name, bench.forbid):
            seen = f"it calls {clean(name.replace('torch._C._nn.', 'torch.nn.functional.'), 60)}"
            return Finding("forward written with tensor operations", seen, line)
    for case, answer in zip(bench.cases, answers, strict=True):
        if answer.failure:
            return bench.failed(answer, "an output", case)
        if finding := _outputs(bench, case, answer, line) or _edited(case, answer, line):
            return finding
    return None


def _outputs(bench: Bench, case: Case, answer: Answer, line: int) -> Finding | None:
    expected = bench.reference.outputs(case)
    described = answer.listed("outputs")
    if len(described) != len(expected):
        seen = f"{len(described)} outputs"
        return Finding(f"{len(expected)} output(s)", seen, line, str(case))
    for one, entry in zip(expected, described, strict=True):
        tensor = answer.tensor(entry)
        if tensor is None:
            kind = entry.get("type") if isinstance(entry, dict) else None
            seen = kind if isinstance(kind, str) else "None"
            return Finding("a tensor", f"{seen[:60]}", line, str(case))
        if apart := difference(tensor, one):
            return Finding(f"output {apart[0]}", apart[1], line, str(case))
    return None


def _edited(case: Case, answer: Answer, line: int) -> Finding | None:
    """Forward must leave its arguments alone."""
    after = answer.listed("args")
    for place in case.tensors():
        tensor = answer.tensor(after[place] if place < len(after) else None)
        if tensor is None or difference(tensor, case.given[place].value):
            name = case.names[place]
            return Finding(f"{name} as it was", f"forward changed {name}", line, str(case))
    return None


def _forbidden(name: str, forbid: tuple[str, ...]) -> bool:
    """Whether a called name is one of these, below one of these, or ends in one of these."""
    name = name.replace("torch._C._nn.", "torch.nn.functional.")
    last = name.rpartition(".")[2]
    return any(name == f or name.startswith(f"{f}.") or last == f for f in forbid)


def by_autograd(bench: Bench) -> Finding | None:
    """Autograd asked for what the attempt should write: in its text, or in the runs so far."""
    for shortcut in bench.reading.autograd(bench.function):
        seen = f"it asks autograd: {shortcut.what}"
        return Finding("a backward written by hand", seen, shortcut.line)
    for method, names in sorted(bench.called.items()):
        if ENGINE in names:
            line = bench.reading.return_line(bench.function, method)
            return Finding("a backward written by hand", "it asks autograd for a derivative", line)
    return None


ENGINE = "the engine"
"""What the sandbox notes where forward or backward asks for a derivative."""


def gradients(bench: Bench) -> Finding | None:
    """Gradients agree with the reference's over every case, all at once and one at a time."""
    answers = bench.backwards
    if finding := by_autograd(bench):
        return finding
    for case, answer in zip(bench.backward_cases, answers, strict=True):
        if answer.failure:
            return bench.failed(answer, "a gradient for each tensor", case)
        expected = bench.reference.gradients(case)
        described = answer.listed("grads")
        for index, place in enumerate(case.asked()):
            entry = described[index] if index < len(described) else None
            if apart := difference(answer.tensor(entry), expected[place]):
                name = f"grad_{bench.argument(place)}"
                line = gradient_line(bench, place)
                return Finding(f"{name} {apart[0]}", apart[1], line, str(case))
    return None


def shapes(bench: Bench) -> Finding | None:
    """What backward returned has its input's shape before autograd sums it down to that."""
    seen_any = False
    if bench.backwards[0].failure:
        return bench.failed(bench.backwards[0], "a gradient for each tensor", bench.usual)
    for case, answer in zip(bench.backward_cases, bench.backwards, strict=True):
        returned = answer.listed("returned")
        for place in case.asked():
            entry = returned[place] if place < len(returned) else None
            found = entry.get("shape") if isinstance(entry, dict) else None
            expected = list(case.given[place].value.shape)
            seen_any = seen_any or isinstance(found, list)
            if isinstance(found, list) and found != expected:
                return _silently_summed(bench, place, found, case)
    if not seen_any:
        return Finding("gradients whose shape can be seen", "backward returned no tensor")
    return None


def _silently_summed(bench: Bench, place: int, found: list[Any], case: Case) -> Finding:
    expected = tuple(case.given[place].value.shape)
    shown = str(tuple(n for n in found if type(n) is int))
    name = bench.argument(place)
    return Finding(
        f"grad_{name} of shape {expected}",
        f"shape {shown}, which autograd sums to {expected} in silence",
        gradient_line(bench, place),
        str(case),
    )


def none_for_non_tensors(bench: Bench) -> Finding | None:
    """One returned value an input, and None in the place of each that is no tensor."""
    line = bench.reading.return_line(bench.function, "backward")
    for case, answer in zip(bench.backward_cases, bench.backwards, strict=True):
        plain = len(case.tensors()) < len(case.given)
        if answer.failure and (plain or case is bench.usual):
            return bench.failed(answer, "one gradient for each input, None for a number", case)
        if answer.failure:
            continue
        returned = answer.listed("returned")
        if len(returned) != len(case.given):
            expected = f"{len(case.given)} values, one for each input of forward"
            return Finding(expected, f"backward returned {len(returned)}", line, str(case))
        for place, (given, entry) in enumerate(zip(case.given, returned, strict=True)):
            if not given.is_tensor and entry is not None:
                name = bench.argument(place)
                at = gradient_line(bench, place)
                return Finding(f"None for {name}", "a tensor", at, str(case))
    return None


def grad_output_untouched(bench: Bench) -> Finding | None:
    """After backward, grad_output and the arguments hold what they held, at the same version."""
    line = bench.reading.written_at(bench.function)
    if bench.backwards[0].failure:
        expected = "a backward that leaves grad_output alone"
        return bench.failed(bench.backwards[0], expected, bench.usual)
    for case, answer in zip(bench.backward_cases, bench.backwards, strict=True):
        if answer.failure:
            continue  # another probe's business: here the cases count that ran
        for seed, entry, writes in zip(
            case.seeds, answer.listed("seeds"), answer.listed("writes"), strict=False
        ):
            apart = difference(answer.tensor(entry), seed)
            if apart or writes != 0:
                times = {0: "", 1: ", once"}.get(writes, f", {writes} times")
                seen = f"backward wrote into it in place{times}"
                return Finding("grad_output as it was", seen, line, str(case))
        if finding := _edited(case, answer, line):
            return Finding(finding.expected, "backward changed it", line, str(case))
    if not any(entry is not None for entry in bench.backwards[0].listed("returned")):
        return Finding("a backward that returns a gradient", "it returned none", line)
    return None
