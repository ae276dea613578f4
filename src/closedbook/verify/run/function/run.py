"""The facts of a Function's run; only what is asked for is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from closedbook.model.value import Value
from closedbook.problem import did_you_mean
from closedbook.verify.run.care import Care, Warned
from closedbook.verify.run.facts import (
    NoSuchFactError,
    NotReachedError,
    Raised,
    Verdict,
    attribute_of,
    fact_of,
    fact_of_tensor,
)
from closedbook.verify.run.formula import language
from closedbook.verify.run.formula.draws import formula_differs
from closedbook.verify.run.function.gradchecks import check_gradients
from closedbook.verify.run.function.passes import FunctionPass, writable
from closedbook.verify.run.function.signature import CHECKS, Ask, FunctionPlan
from closedbook.verify.verified import Fact

Tensor = torch.Tensor


class FunctionRun:
    """One run of a Function. Raises BadArgumentError when the arguments do not fit ``forward``.

    Facts of arguments, outputs and ``grad_output`` are those between forward and backward:
    a backward that writes into them does not change what this says of them.
    """

    def __init__(
        self,
        plan: FunctionPlan,
        arguments: Mapping[str, Value],
        care: Care,
        root: Path,
        *,
        observed: bool = False,
        draw: int = 0,
    ) -> None:
        self.plan = plan
        self.given = arguments
        self.care = care
        self.root = root
        self.run = FunctionPass(plan, arguments, care, root, observed=observed, draw=draw)
        self._verdicts: dict[str, tuple[Verdict, tuple[Warned, ...]]] = {}
        self._second: FunctionPass | None = None

    def again(self, arguments: Mapping[str, Value], draw: int) -> FunctionRun:
        """Return a run of the same Function at other arguments or another draw."""
        return FunctionRun(self.plan, arguments, self.care, self.root, draw=draw)

    def fact(self, name: str) -> Fact:
        """Return a fact of the run; see :class:`closedbook.verify.run.facts.Source`."""
        ask = self.plan.ask(name)
        kind = ask.kind
        if kind == "general":
            return self._general(ask.key)
        if kind == "special":
            return _SPECIAL[ask.key](self)
        if kind == "unknown":
            raise self._unknown(name)
        if ask.tree is not None:
            return fact_of(language.evaluate(ask.tree, Names(self)))
        value = self.tensor(ask)
        if isinstance(value, Tensor):
            return attribute_of(value, ask.attribute) if ask.attribute else fact_of_tensor(value)
        return None if ask.attribute else fact_of(value)

    def value(self, name: str) -> Any:
        """Return what a fact's name stands for, before it becomes plain data."""
        ask = self.plan.ask(name)
        if ask.tree is not None:
            return language.evaluate(ask.tree, Names(self))
        if ask.attribute or ask.kind not in _TENSORS:
            return self.fact(name)
        return self.tensor(ask)

    def tensor(self, ask: Ask) -> Any:
        """Return the argument, output, gradient or ``grad_output`` that a name begins with."""
        if ask.kind == "grad":
            self.run.backward()
            self.run.reached_gradients()
            return self.run.gradients.get(ask.key[len("grad_") :])
        self.run.forward()
        if ask.kind == "argument":
            return self.before_backward().arguments[ask.key]
        self.run.reached_outputs()
        names = self.output_names("grad_output" if ask.kind == "grad_output" else "output")
        if ask.key not in names:
            listed = ", ".join(names)
            hint = did_you_mean(ask.key, names) if len(names) == 1 else f": it has {listed}"
            raise NoSuchFactError(f"no such fact{hint}")
        held = self.before_backward()
        values = held.grad_outputs if ask.kind == "grad_output" else held.outputs
        return values[names.index(ask.key)]

    def output_names(self, stem: str = "output") -> tuple[str, ...]:
        """Return ``output``, or ``output0``, ``output1`` … where there are several."""
        if self.run.single:
            return (stem,)
        return tuple(f"{stem}{index}" for index in range(len(self.run.outputs)))

    def before_backward(self) -> FunctionPass:
        """Return this pass, or another where backward has written into what it was given."""
        return self.run if self.run.untouched else self.second()

    def second(self) -> FunctionPass:
        """Return a second pass, of which forward alone is done."""
        if self._second is None:
            self._second = self.run.again()
            self._second.forward()
        return self._second

    def _unknown(self, name: str) -> NoSuchFactError:
        self.run.forward()
        known = self.plan.known(self.output_names(), self.output_names("grad_output"))
        return NoSuchFactError(f"no such fact{did_you_mean(name, known)}")

    def _node(self, run: FunctionPass) -> Any:
        """The graph's node of this Function, which is also its ctx."""
        run.forward()
        run.reached_outputs()
        for output in run.outputs:
            if isinstance(output, Tensor) and output.grad_fn is not None:
                return output.grad_fn
        raise NotReachedError("nothing was recorded: no argument requires grad")

    def needs_input_grad(self) -> Fact:
        """Return which arguments need a gradient, one truth value each."""
        return list(self._node(self.run).needs_input_grad)

    def saved(self) -> list[Any]:
        """Return the saved tensors, of a pass whose backward has not freed them."""
        return list(self._node(self.second() if self.run.back.done else self.run).saved_tensors)

    def returned(self) -> tuple[Any, ...]:
        """Return what backward handed back, extra trailing Nones among it."""
        self.run.backward()
        self.run.reached_outputs()
        if not self.run.handed:
            self.run.reached_gradients()
            raise NotReachedError("backward did not run: no argument requires grad")
        handed = self.run.handed[0]
        return handed if isinstance(handed, tuple) else (handed,)

    def _general(self, name: str) -> Fact:
        if name == "raises":
            raised = self.raised()
            return raised.said if raised else None
        if name == "warns":
            return [warned.said for warned in self.warned(frozenset({name}))]
        check, _, part = name.partition(".")
        verdict = self.verdict(check)
        return verdict.message if part else verdict.said

    def raised(self) -> Raised | None:
        """Return what forward or backward raised."""
        self.run.backward()
        return self.failed()

    def failed(self) -> Raised | None:
        """Return what was raised in the halves of the run that were needed so far."""
        return self.run.ahead.raised or self.run.back.raised

    def warned(self, names: frozenset[str]) -> tuple[Warned, ...]:
        """Return the warnings of forward and backward, and of the gradchecks in ``names``."""
        self.run.backward()
        taken = [*self.run.ahead.warned, *self.run.back.warned]
        asked = {name.partition(".")[0] for name in names}
        for check in CHECKS:
            if check in asked:
                self.verdict(check)
                taken += self._verdicts[check][1]
        return tuple(taken)

    def verdict(self, name: str) -> Verdict:
        """Run ``gradcheck`` or ``gradgradcheck`` at these arguments, once."""
        if name not in self._verdicts:
            self.care.full()
            arguments = self.run.again().make_arguments()
            verdict = check_gradients(name, self._applied(), arguments, self.root)
            self._verdicts[name] = (verdict, self.care.take())
        return self._verdicts[name][0]

    def _applied(self) -> Callable[..., Any]:
        apply: Callable[..., Any] = self.plan.function.apply
        if self.plan.in_place:
            return lambda *arguments: apply(*map(writable, arguments))
        return apply

    def formula(self, name: str, expression: str) -> tuple[str, str] | None:
        """Compare a fact with a formula over several draws and shapes."""
        return formula_differs(self, name, expression)


_TENSORS = ("argument", "output", "grad_output", "grad")
_SPECIAL: dict[str, Callable[[FunctionRun], Fact]] = {
    "needs_input_grad": FunctionRun.needs_input_grad,
    "returned": lambda run: len(run.returned()),
    "returned.shapes": lambda run: list(map(_shape, run.returned())),
    "saved.count": lambda run: len(run.saved()),
    "saved.shapes": lambda run: list(map(_shape, run.saved())),
}


def _shape(value: Any) -> Fact:
    return tuple(value.shape) if isinstance(value, Tensor) else None


class Names(Mapping[str, Any]):
    """The run's tensors by the names that formulas use; each is looked up when it is needed."""

    def __init__(self, run: FunctionRun) -> None:
        run.run.forward()
        self._run = run
        names = run.plan.names
        self._names = dict.fromkeys(
            [*names, *run.output_names(), *run.output_names("grad_output")]
            + [f"grad_{name}" for name in names]
        )

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        value = self._run.tensor(self._run.plan.ask(name))
        return value.detach() if isinstance(value, Tensor) else value

    def __contains__(self, name: object) -> bool:
        return name in self._names

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
