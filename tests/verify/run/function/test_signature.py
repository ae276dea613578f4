"""What is known of a Function before it runs."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from closedbook.verify.run.function.signature import _Signature


def plain(input: Any, weight: Any = 2, *, scale: Any = 3) -> None:
    """A forward with a default, and one argument that goes by its name alone."""


def whole(input: Any, weight: Any, /, bias: Any = None) -> None:
    """A forward all of whose arguments may go by position."""


CALLS: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
    ((1, 2, 3), {}), ((1, 2), {}), ((1,), {}), ((), {}), ((1, 2, 3, 4), {}),
    ((1,), {"weight": 5}), ((1, 2), {"scale": 5}), ((1, 2), {"bias": 5}), ((1, 2), {"other": 5}),
]  # fmt: skip


@pytest.mark.parametrize("forward", [plain, whole])
@pytest.mark.parametrize(("args", "kwargs"), CALLS)
def test_the_quick_signature_binds_as_every_other(
    forward: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> None:
    """The same arguments, defaults applied, or a TypeError of the same words."""
    slow = inspect.signature(forward)
    assert _bound(_Signature(list(slow.parameters.values())), args, kwargs) == _bound(
        slow, args, kwargs
    )


def _bound(signature: inspect.Signature, args: Any, kwargs: Any) -> Any:
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError as error:
        return str(error)
    bound.apply_defaults()
    return bound.args, bound.kwargs, dict(bound.arguments)
