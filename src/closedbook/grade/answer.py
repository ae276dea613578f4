"""What an attempt's process answers: the word of a stranger, taken apart piece by piece.

Whatever came back, reading it gives a value of the kind that was asked for, or raises
:class:`UnusableAnswerError`. Any other exception while judging is a mistake of the grader's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from closedbook.grade.printable import clean

if TYPE_CHECKING:
    import torch


class UnusableAnswerError(Exception):
    """An answer holds something else than it has to; the message says what."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back for one question: ``body`` as plain data, and tensors; or why nothing did.

    ``failure`` is a sentence; ``line`` is where in the attempt an exception was raised.
    """

    body: dict[str, Any] = field(default_factory=dict)
    tensors: Sequence[torch.Tensor] = ()
    failure: str = ""
    line: int = 0
    gone: bool = False
    """Whether the process ended or fell silent: nothing more can be asked of it."""
    silent: bool = False

    def tensor(self, described: Any) -> torch.Tensor | None:
        """The tensor that a description speaks of; None for None and for what is no tensor."""
        index = described.get("t") if isinstance(described, dict) else None
        if type(index) is int and 0 <= index < len(self.tensors):
            return self.tensors[index]
        return None

    def listed(self, key: str) -> list[Any]:
        """The list at a key; empty where there is none."""
        value = self.body.get(key)
        return value if isinstance(value, list) else []

    def texts(self, key: str) -> list[str]:
        """The texts listed at a key. Raises :class:`UnusableAnswerError`."""
        return [_text(value) for value in self.listed(key)]

    def counts(self, key: str) -> list[int]:
        """The whole numbers listed at a key. Raises :class:`UnusableAnswerError`."""
        return [_count(value) for value in self.listed(key)]

    def doubles(self, key: str) -> list[torch.Tensor | None]:
        """What is listed at a key as tensors in double precision; None for what is no tensor.

        Raises :class:`UnusableAnswerError` for tensors that do not hold floating-point numbers.
        """
        return [_double(self.tensor(described)) for described in self.listed(key)]

    def count(self, key: str) -> int:
        """The whole number at a key; 0 where there is none."""
        value = self.body.get(key)
        return value if type(value) is int else 0

    def text(self, key: str) -> str:
        """The text at a key, safe to print."""
        value = self.body.get(key)
        return clean(value) if isinstance(value, str) else ""

    def parts(self, key: str) -> list[Answer]:
        """The mappings listed at a key, each to be read alike. Raises UnusableAnswerError."""
        return [Answer(_mapping(value), self.tensors) for value in self.listed(key)]

    def each(self, expected: int) -> list[Answer]:
        """One answer a case, whatever came back."""
        if self.failure:
            return [self] * expected
        results = self.listed("results")
        answers = []
        for index in range(expected):
            body = results[index] if index < len(results) else None
            if not isinstance(body, dict):
                answers.append(Answer(failure="no answer came for this case"))
            else:
                answers.append(failed(body) or Answer(body, self.tensors))
        return answers


def failed(body: dict[str, Any]) -> Answer | None:
    """The exception in the attempt that a body tells of, in words; None where it tells of none."""
    error = body.get("error")
    if not isinstance(error, dict):
        return None
    kind, text = error.get("type"), error.get("text")
    line, number = error.get("line"), error.get("errno")
    words = in_words(
        kind if isinstance(kind, str) else "an exception",
        text if isinstance(text, str) else "",
        number if type(number) is int else 0,
    )
    return Answer(failure=words, line=line if type(line) is int and line > 0 else 0)


_NUMBERS = {
    101: "it tried to use the network, which is closed while grading",
    11: "it started more processes than an attempt may have",
    13: "it tried to write where an attempt may not",
    27: "it wrote a file larger than the file size limit",
    28: "it wrote more than the scratch folder holds",
    30: "it tried to write to the file system, which is read-only while grading",
}


def in_words(kind: str, text: str, number: int = 0) -> str:
    """An exception of the attempt as a sentence; limits in their own words."""
    shown = f"{clean(kind, 60)}: {clean(text)}" if text else clean(kind, 60)
    if kind == "MemoryError" or "can't allocate memory" in text:
        return f"it needed more memory than an attempt may have ({clean(text, 80) or kind})"
    if "can't start new thread" in text:
        return f"{_NUMBERS[11]} ({shown})"
    if kind == "SystemExit":
        return f"it raised SystemExit({clean(text, 40)}) instead of answering"
    if number in _NUMBERS:
        return f"{_NUMBERS[number]} ({shown})"
    return shown


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise UnusableAnswerError("something else than a mapping")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise UnusableAnswerError("something else than a text")
    return value


def _count(value: Any) -> int:
    if type(value) is not int:
        raise UnusableAnswerError("something else than a whole number")
    return value


def _double(tensor: torch.Tensor | None) -> torch.Tensor | None:
    if tensor is not None and not tensor.is_floating_point():
        kind = str(tensor.dtype).removeprefix("torch.")
        raise UnusableAnswerError(f"a tensor of {kind}, which holds no floating-point numbers")
    return None if tensor is None else tensor.double()
