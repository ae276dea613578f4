"""``task``: a file to write from a blank page, graded against a reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, StringConstraints

from closedbook.model.kinds.base import (
    Kind,
    Name,
    OrPoints,
    Points,
    Several,
    Slug,
    Strict,
    Text,
    Written,
)
from closedbook.problem import did_you_mean

PROBES: dict[str, str] = {
    "forward": "`forward` gives the right values, with tensor operations alone.",
    "gradients": "`backward` gives the right gradient for each tensor.",
    "gradcheck": "It passes `gradcheck` in double precision.",
    "gradgradcheck": "It passes `gradgradcheck`: its backward can be differentiated.",
    "shapes": "Each gradient that `backward` returns has the shape of its input already.",
    "none-for-non-tensors": "`backward` returns one value an input, None where it is no tensor.",
    "setup-context": "`setup_context` is a method of its own, and `forward` takes no `ctx`.",
    "saved-tensors": "Tensors are saved by `save_for_backward`, and none is kept on `ctx`.",
    "grad-output-untouched": "`backward` leaves `grad_output` and its inputs as they were.",
    "needs-input-grad": "`needs_input_grad` is honoured: no work for a gradient nobody wants.",
    "freed": "What was saved is freed when backward has finished.",
    "hooks": "Saved-tensor hooks see all that backward needs.",
}
"""What ``contract`` may name, and how a paper words it. Each is a probe of closedbook.grade."""


def _probe(name: str) -> str:
    if name not in PROBES:
        raise ValueError(f"no probe is called {name!r}{did_you_mean(name, PROBES)}")
    return name


class ContractPoint(Strict):
    """What one probe is worth, and how the paper words it (the probe's own sentence if left out).

    ``trap`` is the id of the trap card that a report names where the point is lost.
    """

    points: Points
    say: Text | None = None
    trap: Slug | None = None


def _worth(value: Any) -> Any:
    """``forward: 3`` stands for ``forward: {points: 3}``."""
    return {"points": value} if isinstance(value, str) else value


class Broken(Strict):
    """The second half: a version broken on purpose, and the mismatch to quote."""

    ask: Text
    fails_at: dict[Literal["output", "input"], int]
    points: Points


class Task(Kind):
    """A blank-file task.

    ``reference`` names one Function, or maps each class that the file must hold to the reference
    that it is graded against. ``contract`` maps a probe (see :data:`PROBES`) to its points.
    ``forbid`` names what forward may not call: a dotted path of torch and all below it.
    """

    kind: Literal["task"]
    ask: Text
    file: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\.py$")]
    reference: Name | dict[Name, Name]
    contract: Annotated[
        dict[
            Annotated[str, AfterValidator(_probe)],
            Annotated[ContractPoint, OrPoints(_worth)],
        ],
        Field(min_length=1),
    ]
    forbid: Annotated[tuple[Text, ...], Several] = ("torch.nn",)
    broken: Broken | None = None

    @property
    def references(self) -> dict[str, str]:
        """Each class that the file must hold, and the reference that it is graded against."""
        wanted = self.reference
        return {wanted: wanted} if isinstance(wanted, str) else wanted

    def texts(self) -> Iterator[Written]:
        """The task, how the paper words each point of the contract, and the second half."""
        yield ("ask",), self.ask, "ask"
        for name, point in self.contract.items():
            if point.say is not None:
                yield ("contract", name, "say"), point.say, "ask"
        if self.broken is not None:
            yield ("broken", "ask"), self.broken.ask, "ask"
        yield from super().texts()
