"""``derivation``: steps that lead to a result, each checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from closedbook.model.kinds.base import (
    Kind,
    Points,
    Reason,
    Slug,
    Statement,
    Strict,
    Text,
    Truth,
    Written,
    WrittenCheck,
    WrittenClaim,
)


class Step(Strict):
    """One step: a question, its answer with the check, and why.

    ``id`` keeps a step's own card (see ``each_step``) when steps are put in before it; without
    one its number is its name.
    """

    id: Slug | None = None
    ask: Text
    answer: Text
    why: Text | None = None
    check: WrittenCheck | None = None
    expect: dict[str, Any] | None = None
    unchecked: Reason | None = None
    quote: Text | None = None
    points: Points | None = None


class Derivation(Kind):
    """A derivation. ``each_step: true`` gives the deck one card a step beside the whole."""

    kind: Literal["derivation"]
    ask: Text
    steps: Annotated[tuple[Step, ...], Field(min_length=1)]
    result: WrittenClaim | Text | None = None
    each_step: Truth = False

    def texts(self) -> Iterator[Written]:
        """The question, each step's texts, and the result."""
        yield ("ask",), self.ask, "ask"
        for index, step in enumerate(self.steps):
            yield ("steps", index, "ask"), step.ask, "ask"
            yield ("steps", index, "answer"), step.answer, "answer"
            if step.why is not None:
                yield ("steps", index, "why"), step.why, "answer"
        if isinstance(self.result, WrittenClaim):
            yield ("result", "say"), self.result.say, "answer"
        elif self.result is not None:
            yield ("result",), self.result, "answer"
        yield from super().texts()

    def statements(self) -> Iterator[Statement]:
        """Each step's answer; the result, which as a text is shown by the card's own check."""
        for index, step in enumerate(self.steps):
            loc = ("steps", index)
            yield Statement(
                "step",
                step.answer,
                loc,
                (*loc, "answer"),
                step.check,
                step.expect,
                step.unchecked,
                step.quote,
            )
        if isinstance(self.result, WrittenClaim):
            yield Statement.of_claim(self.result, ("result",), "result")
        elif self.result is not None:
            yield Statement("result", self.result, ("result",), ("result",), of_card=True)
