"""``trap``: code that looks right, what is observed, why, and the mended code."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from closedbook.model.kinds.base import (
    Code,
    Kind,
    Points,
    Several,
    Statement,
    Strict,
    Text,
    Written,
    WrittenCheck,
    WrittenClaim,
)


class Fix(Strict):
    """The right code, and the check that it is right."""

    code: Code
    say: Text | None = None
    check: WrittenCheck | None = None
    expect: dict[str, Any] | None = None
    points: Points | None = None


class Trap(Kind):
    """Code that looks right and is not.

    ``fault`` quotes the lines that are wrong; without it, they are those in which the code differs
    from the mended one, where that is one place.
    """

    kind: Literal["trap"]
    code: Code
    ask: Text
    fault: Annotated[tuple[Text, ...], Several] = ()
    claims: Annotated[tuple[WrittenClaim, ...], Field(min_length=1)]
    fix: Fix

    def texts(self) -> Iterator[Written]:
        """The question, the claims, and what is said of the mended code."""
        yield ("ask",), self.ask, "ask"
        yield from self._texts_of_claims(self.claims)
        if self.fix.say is not None:
            yield ("fix", "say"), self.fix.say, "answer"
        yield from super().texts()

    def statements(self) -> Iterator[Statement]:
        """What is observed, and that the mended code is right."""
        yield from self._statements_of_claims(self.claims)
        fix = self.fix
        yield Statement("fix", fix.say or "", ("fix",), ("fix", "say"), fix.check, fix.expect)
