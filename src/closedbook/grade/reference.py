"""The reference, run here in the trusted process: what every answer is compared with."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from closedbook.grade.draws import Argument, Case
from closedbook.grade.printable import clean
from closedbook.model.bank import Bank
from closedbook.verify.job import Setup
from closedbook.verify.run.loading import Failure, generators_of

if TYPE_CHECKING:
    import torch


class UnusableReferenceError(Exception):
    """The reference of a task cannot be used; the message says why. No attempt is to blame."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A trusted Function and the arguments of its forward.

    Every run of it raises :class:`UnusableReferenceError` where it cannot be run with a case.
    """

    name: str
    function: Any
    arguments: tuple[Argument, ...]
    double_backward: bool

    def call(self, case: Case) -> tuple[list[Any], list[torch.Tensor]]:
        """Fresh arguments for a case, and the outputs."""
        arguments = []
        for given in case.given:
            value = given.value
            if given.is_tensor:
                value = value.detach().clone().requires_grad_(given.grad)
            arguments.append(value)
        with self._running(case):
            made = self.function.apply(*arguments)
            outputs = list(made) if isinstance(made, tuple | list) else [made]
            for output in outputs:
                if not output.is_floating_point():
                    raise TypeError(f"an output of {output.dtype} has no gradient to compare")
        return arguments, outputs

    @contextlib.contextmanager
    def _running(self, case: Case) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # a bank's code may raise anything
            shown = f"{type(error).__name__}: {clean(str(error))}"
            words = f"the reference {self.name!r} cannot be run with {case}: {shown}"
            raise UnusableReferenceError(words) from error

    def outputs(self, case: Case) -> list[torch.Tensor]:
        """Detached outputs."""
        return [output.detach() for output in self.call(case)[1]]

    def gradients(self, case: Case) -> list[torch.Tensor | None]:
        """One entry an argument; None where none was asked for."""
        import torch

        arguments, outputs = self.call(case)
        wanted = [arguments[place] for place in case.asked()]
        # By way of a scalar: given grad_outputs, torch loads sympy to compare their sizes.
        with self._running(case):
            total = torch.stack([(o * s).sum() for o, s in zip(outputs, case.seeds, strict=True)])
            found = torch.autograd.grad(total.sum(), wanted, allow_unused=True)
        by_place = dict(zip(case.asked(), found, strict=True))
        return [by_place.get(place) for place in range(len(arguments))]

    def depends(self, case: Case, output: int, place: int) -> bool:
        """Whether an output's gradient by one argument is anything but zero."""
        import torch

        arguments, outputs = self.call(case)
        with self._running(case):
            total = (outputs[output] * case.seeds[output]).sum()
            (found,) = torch.autograd.grad(total, arguments[place], allow_unused=True)
        return found is not None and bool(found.any())

    def saves(self, case: Case) -> int:
        """How many tensors it saves."""
        import torch

        seen: list[int] = []

        def pack(tensor: torch.Tensor) -> torch.Tensor:
            seen.append(1)
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            self.call(case)
        return len(seen)


def load_reference(bank: Bank, name: str) -> Reference:
    """Import a reference of the bank. Raises :class:`UnusableReferenceError`."""
    paths = {key: generator.path for key, generator in bank.generators.items()}
    version = "".join(bank.digests.values())
    found = generators_of(Setup(bank.root, paths, version)).get(name)
    if isinstance(found, Failure):
        raise UnusableReferenceError(f"the reference {name!r} cannot be used: {found.text}")
    if found.mark.example is None:
        raise UnusableReferenceError(f"{name!r} is no @reference: it has no example")
    parameters = inspect.signature(found.value.forward).parameters
    arguments = tuple(
        _argument(key, value, parameters) for key, value in found.mark.example.items()
    )
    return Reference(name, found.value, arguments, found.mark.double_backward)


def _argument(name: str, value: Any, parameters: Any) -> Argument:
    shaped = isinstance(value, tuple) and all(isinstance(n, int) for n in value)
    parameter = parameters.get(name)
    optional = parameter is not None and parameter.default is None
    return Argument(name, value if shaped else None, None if shaped else value, optional)
