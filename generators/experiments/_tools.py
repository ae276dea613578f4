"""What several experiments share. Nothing here is an experiment by itself."""

import inspect
from collections.abc import Callable

import torch
from torch.autograd import Function
from torch.autograd.gradcheck import GradcheckError
from torch.multiprocessing.reductions import StorageWeakRef
from torch.utils._python_dispatch import TorchDispatchMode

FEW = {
    "input": (5, 4),
    "weight": (3, 4),
    "bias": (3,),
    "tensor": (2, 3),
    "constant": 5.0,
    "factor": 2.0,
    "a": (3, 4),
    "b": (4,),
    "x": (3, 4),
}
"""A shape, or a plain number, for each name that an argument of forward has in this bank."""


def draw(*sizes: int) -> torch.Tensor:
    """A double tensor that requires its gradient, from the engine's seed."""
    return torch.randn(sizes, dtype=torch.double, requires_grad=True)


def names(function: type[Function]) -> list[str]:
    """The arguments of forward, without ctx."""
    parameters = list(inspect.signature(function.forward).parameters)
    return [name for name in parameters if name != "ctx"]


def sample(function: type[Function], **sizes: object) -> list[object]:
    """Arguments that fit ``function``: ``sizes`` by name, else those of :data:`FEW`."""
    chosen = [sizes.get(name, FEW[name]) for name in names(function)]
    return [draw(*size) if isinstance(size, tuple) else size for size in chosen]


class _Ctx:
    """Takes every method call and every attribute, and does nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *arguments: None


def plain(function: type[Function], *arguments: object) -> object:
    """Forward as ordinary code, so that torch's own backward of each operation applies."""
    combined = "ctx" in inspect.signature(function.forward).parameters
    context = (_Ctx(),) if combined else ()
    return function.forward(*context, *arguments)


def slope(function: type[Function], value: float, step: float = 1e-6) -> float:
    """The slope of a Function of one number by central differences, to 6 decimals."""

    def at(point: float) -> float:
        return first(function.apply(torch.tensor(point, dtype=torch.double))).item()

    return round((at(value + step) - at(value - step)) / (2 * step), 6)


def first(outputs: object) -> torch.Tensor:
    """The output, or the first of several."""
    return outputs[0] if isinstance(outputs, tuple) else outputs


def message(call: Callable[[], object]) -> str | None:
    """The text of the error that ``call`` raises; None where it raises none."""
    try:
        call()
    except Exception as error:  # which error comes is what is observed
        return str(error)
    return None


def passes(check: Callable[..., bool], *arguments: object, **options: object) -> bool:
    """The verdict of gradcheck or gradgradcheck. Any other error than its own is let through."""
    try:
        return check(*arguments, **options)
    except GradcheckError:
        return False


def complaint(check: Callable[[], bool]) -> str | None:
    """What gradcheck says, None where it passes. Any other error than its own is let through."""
    try:
        check()
    except GradcheckError as error:
        return str(error)
    return None


class Count(TorchDispatchMode):
    """Counts the calls of one operation that run below it."""

    def __init__(self, operation: object) -> None:
        super().__init__()
        self.operation = operation
        self.calls = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.calls += func is self.operation
        return func(*args, **(kwargs or {}))


def watch(tensor: torch.Tensor) -> Callable[[], str]:
    """A question to ask later: is this tensor's memory still 'alive', or 'freed'?"""
    reference = StorageWeakRef(tensor.untyped_storage())
    return lambda: "freed" if reference.expired() else "alive"


def numbers(tensor: torch.Tensor | None) -> object:
    """The values as plain numbers or nested lists; None stays None."""
    return None if tensor is None else tensor.detach().tolist()


def shape(tensor: torch.Tensor | None) -> tuple[int, ...] | None:
    """The shape as a tuple; None stays None."""
    return None if tensor is None else tuple(tensor.shape)
