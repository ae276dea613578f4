"""The decorators of a bank's generators. They only leave a mark; nothing is registered or run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

T = TypeVar("T")
MARK = "__closedbook__"


@dataclass(frozen=True, slots=True)
class Mark:
    """What a decorator said of a definition."""

    role: Literal["reference", "flawed", "experiment"]
    example: Mapping[str, Any] | None = None
    double_backward: bool = True
    of: Any = None
    caught_by: str | None = None
    isolated: bool = False


def _leave(mark: Mark) -> Callable[[T], T]:
    def decorate(definition: T) -> T:
        setattr(definition, MARK, mark)
        return definition

    return decorate


def reference(*, example: Mapping[str, Any], double_backward: bool = True) -> Callable[[T], T]:
    """Mark a trusted ``torch.autograd.Function``.

    ``example`` maps each argument of ``forward`` to what ``with`` could hold: a tuple is the
    shape of a double tensor, a number a plain number. ``cards verify`` runs ``gradcheck`` on it
    (double, eps=1e-6, atol=1e-4), optional arguments given and left out, and ``gradgradcheck``,
    which must pass where ``double_backward`` is True and must not where it is False.
    """
    return _leave(Mark("reference", example=dict(example), double_backward=double_backward))


def flawed(*, of: Any, caught_by: str) -> Callable[[T], T]:
    """Mark a Function that is wrong on purpose.

    ``of`` is the right one; ``caught_by`` names the experiment in which the two differ.
    """
    return _leave(Mark("flawed", of=of, caught_by=caught_by))


def experiment(definition: Callable[..., Any] | None = None, /, *, isolated: bool = False) -> Any:
    """Mark a function that returns a flat ``dict`` of facts.

    ``isolated=True`` gives it a process of its own. Works with and without parentheses.
    """
    leave = _leave(Mark("experiment", isolated=isolated))
    return leave if definition is None else leave(definition)
