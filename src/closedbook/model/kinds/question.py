"""``question``: ask, and an answer, claims, or options to choose from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, Self

from pydantic import model_validator

from closedbook.model.kinds.base import (
    Kind,
    Reason,
    Statement,
    Strict,
    Text,
    Truth,
    Written,
    WrittenClaim,
    at,
)


class Option(Strict):
    """One choice: ``right`` or ``wrong``, and for a wrong one the misconception behind it.

    ``last: true`` keeps it at the end when options are shuffled ("none of these").
    """

    right: Text | None = None
    wrong: Text | None = None
    because: Text | None = None
    last: Truth = False

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.right is None) == (self.wrong is None):
            raise ValueError("an option has either 'right' or 'wrong'")
        return self

    @property
    def text(self) -> str:
        """What is printed beside the box."""
        return self.right if self.right is not None else (self.wrong or "")


class Question(Kind):
    """A question with a short answer, with claims, or with options."""

    kind: Literal["question"]
    ask: Text
    answer: Text | None = None
    unchecked: Reason | None = None
    claims: tuple[WrittenClaim, ...] = ()
    options: tuple[Option, ...] = ()
    quote: Text | None = None
    typed: Truth = False

    @model_validator(mode="after")
    def _has_an_answer(self) -> Self:
        if self.answer is None and not self.claims and not self.options:
            raise ValueError("a question needs 'answer', 'claims' or 'options'")
        if self.typed and self.answer is None:
            raise at("typed", "'typed' needs an 'answer' to compare with")
        if self.options and not any(option.right is not None for option in self.options):
            raise at("options", "no option is 'right'")
        if self.options and len(self.options) < 2:
            raise at("options", "one option is no choice: give at least two")
        return self

    def texts(self) -> Iterator[Written]:
        """The question, the options with their reasons, the answer and the claims."""
        yield ("ask",), self.ask, "ask"
        for index, option in enumerate(self.options):
            name = "right" if option.right is not None else "wrong"
            yield ("options", index, name), option.text, "ask"
            if option.because is not None:
                yield ("options", index, "because"), option.because, "answer"
        if self.answer is not None:
            yield ("answer",), self.answer, "answer"
        yield from self._texts_of_claims(self.claims)
        yield from super().texts()

    def statements(self) -> Iterator[Statement]:
        """The answer and the right options, shown by the card's own check; the claims."""
        if self.answer is not None:
            yield Statement(
                "answer",
                self.answer,
                ("answer",),
                ("answer",),
                unchecked=self.unchecked,
                quote=self.quote,
                of_card=True,
            )
        for index, option in enumerate(self.options):
            if option.right is not None:
                loc = ("options", index)
                yield Statement(
                    "option",
                    option.right,
                    loc,
                    (*loc, "right"),
                    unchecked=self.unchecked,
                    of_card=True,
                )
        yield from self._statements_of_claims(self.claims)
