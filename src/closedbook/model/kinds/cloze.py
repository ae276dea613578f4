"""``cloze``: a text with Anki's ``{{c1::gaps}}``, and the claims that show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from closedbook.model.kinds.base import Kind, Statement, Text, Written, WrittenClaim


class Cloze(Kind):
    """A text with gaps. Its claims say and show what the filled text states."""

    kind: Literal["cloze"]
    text: Text
    claims: tuple[WrittenClaim, ...] = ()

    def texts(self) -> Iterator[Written]:
        """The text with its gaps, and the claims."""
        yield ("text",), self.text, "ask"
        yield from self._texts_of_claims(self.claims)
        yield from super().texts()

    def statements(self) -> Iterator[Statement]:
        """The claims."""
        return self._statements_of_claims(self.claims)
