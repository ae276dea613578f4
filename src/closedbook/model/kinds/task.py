"""``task``: a file to write from a blank page, graded against a reference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, StringConstraints

from closedbook.model.kinds.base import Kind, Name, Points, Strict, Text, Written


class ContractPoint(Strict):
    """What one probe is worth, and how the paper words it (the probe's own sentence if left out)."""

    points: Points
    say: Text | None = None


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
    that it is graded against. ``contract`` maps a probe of :mod:`closedbook.grade` to its points.
    """

    kind: Literal["task"]
    ask: Text
    file: Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_]*\.py$")]
    reference: Name | dict[Name, Name]
    contract: Annotated[
        dict[str, Annotated[ContractPoint, BeforeValidator(_worth)]], Field(min_length=1)
    ]
    broken: Broken | None = None

    def texts(self) -> Iterator[Written]:
        """The task, how the paper words each point of the contract, and the second half."""
        yield ("ask",), self.ask, "ask"
        for name, point in self.contract.items():
            if point.say is not None:
                yield ("contract", name, "say"), point.say, "ask"
        if self.broken is not None:
            yield ("broken", "ask"), self.broken.ask, "ask"
        yield from super().texts()
