"""One pass of a Function at given arguments: forward, then backward, each done when needed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

# The first backward of a process imports it; here that is done before workers are forked.
import torch.fx.experimental.symbolic_shapes

from closedbook.model.value import Value
from closedbook.verify.run.care import Care, Warned
from closedbook.verify.run.facts import NotReachedError, Raised, raised_of
from closedbook.verify.run.function.signature import FunctionPlan
from closedbook.verify.run.inputs import BadArgumentError, build, drawn
from closedbook.verify.run.limit import from_outside

Tensor = torch.Tensor


@dataclass(slots=True)
class Half:
    """Forward or backward of one pass: whether it was run, and what it raised and warned of."""

    done: bool = False
    raised: Raised | None = None
    warned: tuple[Warned, ...] = ()


class FunctionPass:
    """The tensors of one pass. Raises BadArgumentError when the arguments do not fit.

    ``ahead`` tells of its forward, ``back`` of its backward. ``observed`` runs the double of the
    Function that notes what its backward hands back.
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
        plan.check(arguments)
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
        self.gradients: dict[str, Tensor | None] = {}
        self.handed: list[Any] = []
        self.ahead, self.back = Half(), Half()
        self._versions: list[int] = []

    def again(self, arguments: Mapping[str, Value] | None = None, draw: int = 0) -> FunctionPass:
        """Return a pass of the same Function that has not begun, at these arguments or others."""
        given = self.given if arguments is None else arguments
        return FunctionPass(self.plan, given, self.care, self.root, draw=draw or self.draw)

    def forward(self) -> None:
        """Make the arguments and call ``apply``, once. What it raises is kept."""
        if self.ahead.done:
            return
        self.ahead.done = True
        self.care.quick()
        arguments = self.make_arguments()
        try:
            self.outputs = self._apply(arguments)
        except BaseException as error:  # a Function may raise anything; it becomes a fact
            if from_outside(error):
                raise
            self.ahead.raised = raised_of(error, self.root)
        else:
            self.grad_outputs = tuple(map(self._grad_output, range(len(self.outputs))))
            self._check_grad_outputs()
        if self.care.caught:
            self.ahead.warned = self.care.take()

    def make_arguments(self) -> list[Any]:
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
        if plan.in_place:
            arguments = list(map(writable, arguments))
        if self.observed:
            plan.observed.noted.clear()
            output = plan.observed.apply(*arguments)
        else:
            output = plan.function.apply(*arguments)
        self.single = not isinstance(output, tuple)
        return (output,) if self.single else output

    def _grad_output(self, index: int) -> Tensor | None:
        """What backward receives for an output; None for one that takes no gradient."""
        output = self.outputs[index]
        if not isinstance(output, Tensor) or not output.requires_grad:
            return None
        name = "grad_output" if self.single else f"grad_output{index}"
        if name in self.given:
            made = build(name, self.given[name], self.draw)
            tensor = made if isinstance(made, Tensor) else torch.tensor(made, dtype=output.dtype)
            return tensor.detach()
        tensor = drawn(tuple(output.shape), name, self.draw, requires_grad=False)
        return tensor if output.dtype is torch.float64 else tensor.to(output.dtype)

    def _check_grad_outputs(self) -> None:
        """Raise BadArgumentError where ``with`` gives a gradient of an output that there is not."""
        if self.given.keys() <= self.arguments.keys():
            return
        names = (
            ["grad_output"]
            if self.single
            else [f"grad_output{i}" for i in range(len(self.outputs))]
        )
        for name in self.given:
            if name not in self.arguments and name not in names:
                what = f"{self.plan.definition.name} has no output for {name!r}"
                raise BadArgumentError(f"{what}: give {', '.join(names)}", name)

    def backward(self) -> None:
        """Run backward from every output at once. What it raises is kept."""
        self.forward()
        if self.back.done or self.ahead.raised is not None:
            return
        self.back.done = True
        self._versions = self._versions_now()
        wanted = {
            name: value
            for name, value in self.arguments.items()
            if isinstance(value, Tensor) and value.requires_grad
        }
        pairs = [
            (output, gradient)
            for output, gradient in zip(self.outputs, self.grad_outputs, strict=True)
            if gradient is not None
        ]
        if wanted and pairs:
            try:
                self._differentiate(wanted, pairs)
            except BaseException as error:  # a backward may raise anything; it becomes a fact
                if from_outside(error):
                    raise
                self.back.raised = raised_of(error, self.root)
        if self.observed:
            self.handed = [*self.plan.observed.noted]
            self.plan.observed.noted.clear()
        if self.care.caught:
            self.back.warned = self.care.take()

    def _differentiate(self, wanted: dict[str, Tensor], pairs: list[tuple[Any, Tensor]]) -> None:
        found = torch.autograd.grad(
            [output for output, _ in pairs],
            list(wanted.values()),
            [gradient for _, gradient in pairs],
            allow_unused=True,
        )
        self.gradients = dict(zip(wanted, found, strict=True))

    def _versions_now(self) -> list[int]:
        """How often each tensor at hand was written to."""
        values = (*self.arguments.values(), *self.outputs, *self.grad_outputs)
        return [value._version for value in values if isinstance(value, Tensor)]

    @property
    def untouched(self) -> bool:
        """Whether the tensors at hand are still as forward left them."""
        return not self.back.done or self._versions == self._versions_now()

    def reached_outputs(self) -> None:
        """Raise NotReachedError where forward raised."""
        if self.ahead.raised is not None:
            raise NotReachedError(self.ahead.raised.said)

    def reached_gradients(self) -> None:
        """Raise NotReachedError where forward or backward raised."""
        self.reached_outputs()
        if self.back.raised is not None:
            raise NotReachedError(self.back.raised.said)


def writable(value: Any) -> Any:
    """Return a copy in the graph of a tensor that requires grad: torch lets no leaf be changed."""
    return value.clone() if isinstance(value, Tensor) and value.requires_grad else value
