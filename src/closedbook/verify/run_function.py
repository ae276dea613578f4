"""Run a Function once, forward and backward, and offer its facts; only what is asked is done."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from closedbook.model.value import Value
from closedbook.problem import did_you_mean
from closedbook.verify import formula
from closedbook.verify.facts import (
    NoSuchFactError,
    NotReachedError,
    Raised,
    Verdict,
    attribute_of,
    fact_of,
    fact_of_tensor,
    raised_of,
)
from closedbook.verify.formula_draws import formula_differs
from closedbook.verify.gradchecks import check_gradients
from closedbook.verify.inputs import build, drawn
from closedbook.verify.run_care import Care, Warned
from closedbook.verify.run_plan import CHECKS, Ask, FunctionPlan
from closedbook.verify.verified import Fact

Tensor = torch.Tensor


class FunctionRun:
    """One run of a Function at given arguments. Raises BadArgumentError when they do not fit.

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
        self.draw = draw
        self.observed = observed
        self.arguments: dict[str, Any] = {}
        self.outputs: tuple[Any, ...] = ()
        self.single = True
        self.grad_outputs: tuple[Tensor | None, ...] = ()
        self._gradients: dict[str, Tensor | None] = {}
        self._saved: tuple[int, list[Fact]] | str = "nothing was recorded"
        self._needs: list[Fact] = []
        self._handed: Any = None
        self._versions: list[int] = []
        self._done = 0
        self._raised: list[Raised | None] = [None, None]
        self._warned: list[tuple[Warned, ...]] = [(), ()]
        self._verdicts: dict[str, tuple[Verdict, tuple[Warned, ...]]] = {}
        self._untouched: FunctionRun | None = None
        plan.check(arguments)

    # --- the two halves of the run

    def forward(self) -> None:
        """Make the arguments and call ``apply``, once. What it raises is kept."""
        if self._done:
            return
        self._done = 1
        self.care.quick()
        try:
            self.outputs = self._apply(self._make_arguments())
        except Exception as error:  # a Function may raise anything; it becomes a fact
            self._raised[0] = raised_of(error, self.root)
        if self.care.caught:
            self._warned[0] = self.care.take()

    def _make_arguments(self) -> list[Any]:
        """The positional arguments: those left out at the end stay out, others take defaults."""
        given, plan = self.given, self.plan
        made = [
            build(name, given[name], self.draw) if name in given else plan.defaults[name]
            for name in plan.names
        ]
        self.arguments = dict(zip(plan.names, made, strict=True))
        last = len(made)
        while last and plan.names[last - 1] not in given:
            last -= 1
        return made[:last]

    def _apply(self, arguments: list[Any]) -> tuple[Any, ...]:
        plan = self.plan
        if self.observed:
            plan.observed.noted.clear()
            output = plan.observed.apply(*arguments)
        else:
            output = plan.function.apply(*arguments)
        self.single = not isinstance(output, tuple)
        outputs = (output,) if self.single else output
        self.grad_outputs = tuple(self._grad_output(i, out) for i, out in enumerate(outputs))
        return outputs

    def _grad_output(self, index: int, output: Any) -> Tensor | None:
        """What backward receives for an output; None for one that takes no gradient."""
        if not isinstance(output, Tensor) or not output.requires_grad:
            return None
        name = "grad_output" if self.single else f"grad_output{index}"
        if name in self.given:
            made = build(name, self.given[name], self.draw)
            tensor = made if isinstance(made, Tensor) else torch.tensor(made, dtype=output.dtype)
            return tensor.detach()
        tensor = drawn(tuple(output.shape), name, self.draw).detach()
        return tensor if output.dtype is torch.float64 else tensor.to(output.dtype)

    def backward(self) -> None:
        """Run backward from every output at once. What it raises is kept."""
        self.forward()
        if self._done > 1 or self._raised[0] is not None:
            return
        self._done = 2
        self._versions = [t._version for t in self._tensors()]
        wanted = {n: a for n, a in self.arguments.items() if _wants_grad(a)}
        pairs = [
            (output, gradient)
            for output, gradient in zip(self.outputs, self.grad_outputs, strict=True)
            if gradient is not None
        ]
        if wanted and pairs:
            try:
                self._differentiate(wanted, pairs)
            except Exception as error:  # a backward may raise anything; it becomes a fact
                self._raised[1] = raised_of(error, self.root)
        if self.observed and self.plan.observed.noted:
            self._handed = self.plan.observed.noted.pop()
        if self.care.caught:
            self._warned[1] = self.care.take()

    def _differentiate(self, wanted: dict[str, Tensor], pairs: list[tuple[Any, Tensor]]) -> None:
        found = torch.autograd.grad(
            [output for output, _ in pairs],
            list(wanted.values()),
            [gradient for _, gradient in pairs],
            allow_unused=True,
        )
        self._gradients = dict(zip(wanted, found, strict=True))

    def _tensors(self) -> Iterator[Tensor]:
        for value in (*self.arguments.values(), *self.outputs, *self.grad_outputs):
            if isinstance(value, Tensor):
                yield value

    def _before_backward(self) -> FunctionRun:
        """This run, or a fresh one where backward has written into what it was given."""
        if self._done < 2 or self._versions == [t._version for t in self._tensors()]:
            return self
        if self._untouched is None:
            self._untouched = FunctionRun(
                self.plan, self.given, self.care, self.root, draw=self.draw
            )
            self._untouched.forward()
        return self._untouched

    # --- facts

    def fact(self, name: str) -> Fact:
        """Return a fact of the run; see :class:`closedbook.verify.facts.Source`."""
        ask = self.plan.ask(name)
        kind = ask.kind
        if kind == "grad":
            return self._attribute(self.gradient(ask.key[5:]), ask)
        if kind == "output":
            return self._attribute(self._before_backward().output(ask.key), ask)
        if kind in ("argument", "grad_output"):
            return self._attribute(self._named(ask.key), ask)
        if kind == "special":
            return self._special(ask.key)
        if kind == "general":
            return self._general(ask.key)
        if ask.tree is not None:
            return fact_of(formula.evaluate(ask.tree, Names(self)))
        raise NoSuchFactError(self._unknown(name))

    def _unknown(self, name: str) -> str:
        self.forward()
        return f"no such fact{did_you_mean(name, self.plan.known(self._output_names()))}"

    def _output_names(self) -> tuple[str, ...]:
        if self.single:
            return ("output",)
        return tuple(f"output{index}" for index in range(len(self.outputs)))

    def _attribute(self, value: Any, ask: Ask) -> Fact:
        if isinstance(value, Tensor):
            return attribute_of(value, ask.attribute) if ask.attribute else fact_of_tensor(value)
        return None if ask.attribute else fact_of(value)

    def output(self, name: str) -> Any:
        """Return ``output``, or ``output0``, ``output1`` … of several."""
        self.forward()
        self._reached(0)
        names = self._output_names()
        if name not in names:
            raise NoSuchFactError(f"no such fact{did_you_mean(name, names)}")
        return self.outputs[names.index(name)]

    def gradient(self, argument: str) -> Tensor | None:
        """Return the gradient of an argument; None where backward gave None."""
        self.backward()
        self._reached(1)
        return self._gradients.get(argument)

    def _named(self, name: str) -> Any:
        self.forward()
        run = self._before_backward()
        if name in run.arguments:
            return run.arguments[name]
        self._reached(0)
        names = (
            ("grad_output",) if run.single else [f"grad_output{i}" for i in range(len(run.outputs))]
        )
        if name not in names:
            raise NoSuchFactError(f"no such fact{did_you_mean(name, names)}")
        return run.grad_outputs[list(names).index(name)]

    def _reached(self, half: int) -> None:
        """Raise where this half of the run was not reached for an exception."""
        for raised in self._raised[: half + 1]:
            if raised is not None:
                raise NotReachedError(raised.said)

    def _special(self, name: str) -> Fact:
        if name in ("returned", "returned.shapes"):
            return self._returned(name)
        self.forward()
        self._reached(0)
        node: Any = next((o.grad_fn for o in self._tensor_outputs() if o.grad_fn is not None), None)
        if node is None:
            raise NotReachedError("nothing was recorded: no argument requires grad")
        if name == "needs_input_grad":
            return list(node.needs_input_grad)
        run = self if self._done < 2 else self._fresh()
        saved: Any = next(o.grad_fn for o in run._tensor_outputs() if o.grad_fn is not None)
        tensors = saved.saved_tensors
        if name == "saved.count":
            return len(tensors)
        return [None if t is None else tuple(t.shape) for t in tensors]

    def _fresh(self) -> FunctionRun:
        run = FunctionRun(self.plan, self.given, self.care, self.root, draw=self.draw)
        run.forward()
        return run

    def _tensor_outputs(self) -> Iterator[Tensor]:
        return (output for output in self.outputs if isinstance(output, Tensor))

    def _returned(self, name: str) -> Fact:
        if not self.observed:
            raise NotReachedError("backward was not observed")
        self.backward()
        self._reached(0)
        handed = self._handed
        if handed is None and self._raised[1] is not None:
            self._reached(1)
        values = handed if isinstance(handed, tuple) else (handed,)
        if name == "returned":
            return len(values)
        return [tuple(v.shape) if isinstance(v, Tensor) else None for v in values]

    def _general(self, name: str) -> Fact:
        if name == "raises":
            raised = self.raised()
            return raised.said if raised else None
        if name == "warns":
            return [warned.said for warned in self.warned(frozenset({"raises"}))]
        check, _, part = name.partition(".")
        verdict = self.verdict(check)
        return verdict.message if part else verdict.said

    def raised(self) -> Raised | None:
        """Return what forward or backward raised."""
        self.backward()
        return self._raised[0] or self._raised[1]

    def failed(self) -> Raised | None:
        """Return what was raised so far, in the parts of the run that were needed."""
        return self._raised[0] or self._raised[1]

    def warned(self, names: frozenset[str]) -> tuple[Warned, ...]:
        """Return the warnings of forward and backward, and of the gradchecks in ``names``."""
        self.backward()
        taken = [*self._warned[0], *self._warned[1]]
        for check in CHECKS:
            if any(name.partition(".")[0] == check for name in names):
                self.verdict(check)
                taken += self._verdicts[check][1]
        return tuple(taken)

    def verdict(self, name: str) -> Verdict:
        """Run ``gradcheck`` or ``gradgradcheck`` at these arguments, once."""
        if name not in self._verdicts:
            self.care.full()
            verdict = check_gradients(name, self.plan.function, self._fresh_arguments(), self.root)
            self._verdicts[name] = (verdict, self.care.take())
        return self._verdicts[name][0]

    def _fresh_arguments(self) -> list[Any]:
        run = FunctionRun(self.plan, self.given, self.care, self.root, draw=self.draw)
        return run._make_arguments()

    def formula(self, name: str, expression: str) -> tuple[str, str] | None:
        """Compare a fact with a formula over several draws and shapes."""
        return formula_differs(self, name, expression)

    def again(self, arguments: Mapping[str, Value], draw: int) -> FunctionRun:
        """Return a run of the same Function at other arguments or another draw."""
        return FunctionRun(self.plan, arguments, self.care, self.root, draw=draw)

    def value(self, name: str) -> Any:
        """Return what a fact's name stands for, before it becomes plain data."""
        ask = self.plan.ask(name)
        if ask.kind == "grad" and not ask.attribute:
            return self.gradient(ask.key[5:])
        if ask.kind == "output" and not ask.attribute:
            return self._before_backward().output(ask.key)
        if ask.tree is not None:
            return formula.evaluate(ask.tree, Names(self))
        return self.fact(name)


class Names(Mapping[str, Any]):
    """The run's tensors by the names that formulas use; made when they are looked up."""

    def __init__(self, run: FunctionRun) -> None:
        run.forward()
        self._run = run
        count = len(run.outputs)
        gradients = ["grad_output"] if run.single else [f"grad_output{i}" for i in range(count)]
        self._names = dict.fromkeys(
            [*run.plan.names, *run._output_names(), *gradients]
            + [f"grad_{name}" for name in run.plan.names]
        )

    def __getitem__(self, name: str) -> Any:
        if name not in self._names:
            raise KeyError(name)
        ask = self._run.plan.ask(name)
        if ask.kind == "grad":
            value: Any = self._run.gradient(ask.key[5:])
        elif ask.kind == "output":
            value = self._run._before_backward().output(name)
        else:
            value = self._run._named(name)
        return value.detach() if isinstance(value, Tensor) else value

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def _wants_grad(value: Any) -> bool:
    return isinstance(value, Tensor) and value.requires_grad
