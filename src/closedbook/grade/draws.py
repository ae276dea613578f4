"""Inputs for the probes, drawn afresh for every grading from the shapes of the reference's example.

Equal sizes in the example mean the same thing: with ``input`` (5, 4), ``weight`` (3, 4) and
``bias`` (3,) there are three sizes, and each can be drawn anew for all arguments at once.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of forward: ``sizes`` are the example's where it is a tensor, else None."""

    name: str
    sizes: tuple[int, ...] | None
    value: Any = None
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Given:
    """One argument of one call: a tensor, or a plain value."""

    value: Any
    grad: bool = False
    layout: str = ""

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor."""
        return hasattr(self.value, "shape")


@dataclass(frozen=True, slots=True)
class Case:
    """One call: its arguments in order, and the gradients of the outputs."""

    label: str
    names: tuple[str, ...]
    given: tuple[Given, ...]
    seeds: tuple[torch.Tensor, ...] = ()

    def tensors(self) -> list[int]:
        """The places of the arguments that are tensors."""
        return [index for index, given in enumerate(self.given) if given.is_tensor]

    def asked(self) -> list[int]:
        """The places of the arguments whose gradient is asked for."""
        return [index for index, given in enumerate(self.given) if given.grad]

    def only(self, *places: int) -> Case:
        """The same call with gradients asked for these arguments alone."""
        given = [replace(g, grad=i in places) for i, g in enumerate(self.given)]
        return replace(self, given=tuple(given))

    def with_value(self, place: int, value: torch.Tensor) -> Case:
        """The same call with another tensor in one place."""
        given = list(self.given)
        given[place] = replace(given[place], value=value)
        return replace(self, given=tuple(given))

    def __str__(self) -> str:
        """``no bias: input (5, 4), weight (3, 4), bias None``."""
        words = []
        for name, given in zip(self.names, self.given, strict=True):
            shown = tuple(given.value.shape) if given.is_tensor else given.value
            layout = f" {given.layout}" if given.layout and given.is_tensor else ""
            words.append(f"{name} {shown}{layout}")
        return f"{self.label}: {', '.join(words)}"


class Drawer:
    """Draws cases for one Function. The same seed gives the same cases."""

    def __init__(self, arguments: Sequence[Argument], seed: int) -> None:
        import torch

        self.arguments = tuple(arguments)
        self.sizes = list(
            dict.fromkeys(n for a in arguments for n in a.sizes or () if n not in (0, 1))
        )
        self._random = random.Random(seed)  # noqa: S311  a known seed is wanted here
        self._generator = torch.Generator().manual_seed(seed)

    def tensor(self, sizes: Sequence[int], dtype: str = "float64") -> torch.Tensor:
        """A tensor from a standard normal."""
        import torch

        kind: torch.dtype = getattr(torch, dtype)
        drawn = torch.randn(tuple(sizes), generator=self._generator, dtype=torch.float64)
        return drawn.to(kind)

    def _plain(self, value: Any) -> Any:
        """Another number of the same kind, never 0 or 1: they hide mistakes."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return value
        if isinstance(value, int):
            return self._random.choice((-1, 1)) * self._random.randint(2, 9)
        return self._random.choice((-1, 1)) * round(self._random.uniform(1.5, 4), 3)

    def case(
        self,
        label: str,
        *,
        fixed: Mapping[int, int] | None = None,
        small: bool = False,
        layout: str = "",
        dtype: str = "float64",
        without: Sequence[str] = (),
    ) -> Case:
        """A call with drawn sizes, values and plain numbers; ``fixed`` maps a size to another."""
        low, high = (2, 4) if small else (2, 8)
        drawn = self._random.sample(range(low, max(high, low + len(self.sizes))), len(self.sizes))
        sizes = dict(zip(self.sizes, drawn, strict=True)) | dict(fixed or {})
        given = []
        for argument in self.arguments:
            if argument.name in without:
                given.append(Given(None))
            elif argument.sizes is None:
                given.append(Given(self._plain(argument.value)))
            else:
                shape = [sizes.get(n, n) for n in argument.sizes]
                given.append(Given(self.tensor(shape, dtype), True, layout))
        return Case(label, tuple(a.name for a in self.arguments), tuple(given))

    def optional(self) -> list[str]:
        """Names of the tensors that may be left out."""
        return [a.name for a in self.arguments if a.optional and a.sizes is not None]

    def many(self) -> list[Case]:
        """The cases in which Functions go wrong: usual sizes, 1, 0, layouts, dtype, left out."""
        batch = self.sizes[:1]
        cases = [self.case("drawn sizes"), self.case("drawn sizes, once more")]
        cases += [self.case("a batch of 1", fixed={n: 1}) for n in batch]
        cases += [self.case("zero rows", fixed={n: 0}) for n in batch]
        cases += [self.case("a size of 1", fixed={n: 1}) for n in self.sizes[1:]]
        cases.append(self.case("non-contiguous tensors", layout="transposed"))
        cases.append(self.case("float32", dtype="float32"))
        for name in self.optional():
            cases.append(self.case(f"no {name}", without=(name,)))
            cases += [
                self.case(f"no {name}, zero rows", without=(name,), fixed={n: 0}) for n in batch
            ]
        return cases

    def seeded(self, case: Case, outputs: Sequence[torch.Tensor]) -> Case:
        """The case with a drawn gradient for each output of the reference."""
        seeds = [self.tensor(o.shape, str(o.dtype).removeprefix("torch.")) for o in outputs]
        return replace(case, seeds=tuple(seeds))
