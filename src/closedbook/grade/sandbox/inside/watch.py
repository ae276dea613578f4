"""Notes what the attempt's forward and backward call, in the very runs whose values are judged.

Were it a run of its own, an attempt that recognises it could behave there and nowhere else.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import torch
import wire  # type: ignore[import-not-found]  # a neighbour, found at the top in the sandbox
from torch.overrides import TorchFunctionMode

if TYPE_CHECKING:
    from collections.abc import Sequence

_CALLED: dict[str, set[str]] = {}
_inside: list[set[str]] = []


_NO_WRITES = {"requires_grad_", "detach_", "__int__", "__index__", "__invert__"}


class Watching(TorchFunctionMode):
    """Notes the dotted names of what is called, and writes into the tensors of ``kept``."""

    def __init__(self, method: str, kept: Sequence[torch.Tensor] = ()) -> None:
        super().__init__()
        self.names = _CALLED.setdefault(method, set())
        self.writes = [0] * len(kept)
        self._places = [address(tensor) if tensor.numel() else None for tensor in kept]

    def __enter__(self) -> Any:
        _inside.append(self.names)
        return super().__enter__()  # type: ignore[no-untyped-call]  # torch leaves it untyped

    def __exit__(self, *about: object) -> None:
        _inside.pop()
        super().__exit__(*about)  # type: ignore[no-untyped-call]  # torch leaves it untyped

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = getattr(func, "__name__", "")
        self.names.add(f"{getattr(func, '__module__', None) or 'torch'}.{name}"[:80])
        target = (kwargs or {}).get("out", args[0] if args and _is_write(name) else None)
        for number, place in enumerate(self._places):
            # Seen as it happens, since a value can be put back, and .data counts no versions.
            self.writes[number] += type(target) is torch.Tensor and address(target) == place
        return func(*args, **(kwargs or {}))


def _is_write(name: str) -> bool:
    """Whether a function or method of that name writes into its first argument."""
    plain = name.endswith("_") and not name.endswith("__")
    operator = name.startswith("__i") or name == "__setitem__"
    return (plain or operator) and name not in _NO_WRITES


def address(tensor: torch.Tensor) -> int:
    """Where the memory of a tensor lies."""
    return tensor.untyped_storage().data_ptr()


def called() -> dict[str, list[str]]:
    """Method -> what it called since this was asked last."""
    found = {method: sorted(names) for method, names in _CALLED.items()}
    _CALLED.clear()
    return found


class _Engine:
    """The engine of autograd, which notes when forward or backward asks it for gradients."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def run_backward(self, *args: Any, **options: Any) -> Any:
        _note()
        return self._engine.run_backward(*args, **options)


def _note() -> None:
    if _inside:
        _inside[-1].add(wire.ENGINE)


def watch_the_engine() -> None:
    """Remark whoever asks for derivatives, backward or forward, by whatever name."""
    variable: Any = torch.autograd.Variable
    variable._execution_engine = _Engine(variable._execution_engine)
    transforms: Any = sys.modules["torch._functorch.eager_transforms"]
    deeper = transforms._jvp_increment_nesting

    def deeper_and_noted() -> Any:
        _note()
        return deeper()

    transforms._jvp_increment_nesting = deeper_and_noted
